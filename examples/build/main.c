#include "blur.h"
#include <stdio.h>

int main(void)
{
  double sum = 0.0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      image[y][x] = (float)((x * 7 + y * 13) % 256);
  for (int times = 0; times < 200; times++)
    blur();
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      sum += blurred[y][x] * ((x + 3 * y) % 17);
  printf("%.3f\n", sum);
  return 0;
}
