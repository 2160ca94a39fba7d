/* Prices of European and American put options on binomial trees, a tree for each option. */

#include <math.h>

#define STEPS 256

typedef struct {
    double spot, strike, rate, volatility, years;
    int american;
} Option;

void price_options(const Option *options, double *prices, int count)
{
    double value[STEPS + 1];

    for (int n = 0; n < count; n++) {
        const Option *o = &options[n];
        double dt = o->years / STEPS;
        double up = exp(o->volatility * sqrt(dt));
        double down = 1.0 / up;
        double discount = exp(-o->rate * dt);
        double p = (exp(o->rate * dt) - down) / (up - down);

        for (int i = 0; i <= STEPS; i++) {
            double payoff = o->strike - o->spot * pow(up, 2 * i - STEPS);
            value[i] = payoff > 0.0 ? payoff : 0.0;
        }
        for (int step = STEPS - 1; step >= 0; step--) {
            for (int i = 0; i <= step; i++) {
                value[i] = discount * (p * value[i + 1] + (1.0 - p) * value[i]);
                if (o->american) {
                    double exercise = o->strike - o->spot * pow(up, 2 * i - step);
                    if (exercise > value[i])
                        value[i] = exercise;
                }
            }
        }
        prices[n] = value[0];
    }
}
