/* Prices of European options after Black and Scholes. */

#include <math.h>

static float normal_cdf(float x)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float tail = 0.39894228f * expf(-0.5f * x * x) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));

    return x > 0.0f ? 1.0f - tail : tail;
}

void black_scholes(float *call, float *put, const float *spot, const float *strike, const float *years, float rate,
                   float volatility, int count)
{
    for (int i = 0; i < count; i++) {
        float root = sqrtf(years[i]);
        float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
        float d2 = d1 - volatility * root;
        float cdf1 = normal_cdf(d1);
        float cdf2 = normal_cdf(d2);
        float discounted = strike[i] * expf(-rate * years[i]);

        call[i] = spot[i] * cdf1 - discounted * cdf2;
        put[i] = discounted * (1.0f - cdf2) - spot[i] * (1.0f - cdf1);
    }
}
