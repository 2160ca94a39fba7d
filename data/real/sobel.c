/* Gradient magnitude of a grey image: three row pointers that move down together. */

#include <stdint.h>
#include <stdlib.h>

void sobel(const uint8_t *src, uint8_t *dst, int width, int height, int stride)
{
    for (int y = 1; y < height - 1; y++) {
        const uint8_t *above = src + (y - 1) * stride;
        const uint8_t *here = src + y * stride;
        const uint8_t *below = src + (y + 1) * stride;
        uint8_t *out = dst + y * stride;

        for (int x = 1; x < width - 1; x++) {
            int gx = (above[x + 1] - above[x - 1]) + 2 * (here[x + 1] - here[x - 1]) + (below[x + 1] - below[x - 1]);
            int gy = (below[x - 1] + 2 * below[x] + below[x + 1]) - (above[x - 1] + 2 * above[x] + above[x + 1]);
            int magnitude = abs(gx) + abs(gy);
            out[x] = magnitude > 255 ? 255 : (uint8_t)magnitude;
        }
    }
}
