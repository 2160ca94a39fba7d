/* How often every grey value occurs in an image. */

#include <stdint.h>
#include <string.h>

#define LEVELS 256

void histogram(const uint8_t *pixels, int width, int height, int stride, uint32_t counts[LEVELS])
{
    memset(counts, 0, LEVELS * sizeof counts[0]);
    for (int y = 0; y < height; y++) {
        const uint8_t *row = pixels + y * stride;
        for (int x = 0; x < width; x++)
            counts[row[x]]++;
    }
}
