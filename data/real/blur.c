/* A separable blur with five taps: rows into a temporary image, then columns; the border repeats. */

#define RADIUS 2

typedef struct {
    int width, height;
    float *pixels;
} Image;

static const float weights[2 * RADIUS + 1] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

static inline int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

void blur(const Image *in, Image *tmp, Image *out)
{
    int w = in->width;
    int h = in->height;

    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            float sum = 0.0f;
            for (int k = -RADIUS; k <= RADIUS; k++)
                sum += weights[k + RADIUS] * in->pixels[y * w + clamp(x + k, 0, w - 1)];
            tmp->pixels[y * w + x] = sum;
        }
    }
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            float sum = 0.0f;
            for (int k = -RADIUS; k <= RADIUS; k++)
                sum += weights[k + RADIUS] * tmp->pixels[clamp(y + k, 0, h - 1) * w + x];
            out->pixels[y * w + x] = sum;
        }
    }
}
