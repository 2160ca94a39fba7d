/* The bilateral filter: a blur that leaves edges alone, for weights fall with the distance in space and in value. */

#include <math.h>

#define RADIUS 3
#define SIZE (2 * RADIUS + 1)

void bilateral(const float *restrict in, float *restrict out, int width, int height, float sigma_space, float sigma_value)
{
    float space[SIZE][SIZE];
    const float falloff = -0.5f / (sigma_value * sigma_value);

    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            space[dy + RADIUS][dx + RADIUS] = expf(-(dx * dx + dy * dy) / (2.0f * sigma_space * sigma_space));

    for (int y = RADIUS; y < height - RADIUS; y++) {
        for (int x = RADIUS; x < width - RADIUS; x++) {
            const float centre = in[y * width + x];
            float sum = 0.0f, weights = 0.0f;

            for (int dy = -RADIUS; dy <= RADIUS; dy++) {
                for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                    const float value = in[(y + dy) * width + x + dx];
                    const float difference = value - centre;
                    const float weight = space[dy + RADIUS][dx + RADIUS] * expf(falloff * difference * difference);
                    sum += weight * value;
                    weights += weight;
                }
            }
            out[y * width + x] = sum / weights;
        }
    }
}
