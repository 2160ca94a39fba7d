/* Prices of European and American put options on binomial trees, a tree for each option. */

#include <math.h>

#define STEPS 256

typedef struct {
    double spot, strike, rate, volatility, years;
} Option;

void price_options(const Option *options, double *prices, int count, int american)
{
    for (int n = 0; n < count; n++) {
        const Option *o = &options[n];
        double spot[STEPS + 1], value[STEPS + 1];
        double dt = o->years / STEPS;
        double up = exp(o->volatility * sqrt(dt));
        double down = 1.0 / up;
        double discount = exp(-o->rate * dt);
        double p = (exp(o->rate * dt) - down) / (up - down);

        spot[0] = o->spot * pow(down, STEPS);
        for (int i = 1; i <= STEPS; i++)
            spot[i] = up * up * spot[i - 1];
        for (int i = 0; i <= STEPS; i++)
            value[i] = o->strike > spot[i] ? o->strike - spot[i] : 0.0;
        for (int step = STEPS - 1; step >= 0; step--) {
            for (int i = 0; i <= step; i++) {
                double held = discount * (p * value[i + 1] + (1.0 - p) * value[i]);

                spot[i] = down * spot[i + 1];
                value[i] = american && o->strike - spot[i] > held ? o->strike - spot[i] : held;
            }
        }
        prices[n] = value[0];
    }
}
