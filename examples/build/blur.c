#include "blur.h"

float image[HEIGHT][WIDTH], blurred[HEIGHT][WIDTH];

/* The sums of nine neighbours, column by column: the way through memory that a compiler does not change. */
void blur(void)
{
  for (int x = 1; x < WIDTH - 1; x++)
    for (int y = 1; y < HEIGHT - 1; y++)
      blurred[y][x] = 0.125f * (image[y - 1][x - 1] + image[y - 1][x] + image[y - 1][x + 1] + image[y][x - 1]
                                + image[y][x + 1] + image[y + 1][x - 1] + image[y + 1][x] + image[y + 1][x + 1]);
}
