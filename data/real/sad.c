/* Block matching as video encoders do it: sums of absolute differences of a block with all blocks in a window. */

#include <stdint.h>
#include <stdlib.h>

#define BLOCK 16

void sad_window(const uint8_t *block, int block_stride, const uint8_t *window, int window_stride, int range_x, int range_y,
                uint32_t *sads)
{
    for (int my = 0; my < range_y; my++) {
        for (int mx = 0; mx < range_x; mx++) {
            uint32_t sad = 0;
            for (int y = 0; y < BLOCK; y++)
                for (int x = 0; x < BLOCK; x++)
                    sad += abs(block[y * block_stride + x] - window[(my + y) * window_stride + mx + x]);
            sads[my * range_x + mx] = sad;
        }
    }
}
