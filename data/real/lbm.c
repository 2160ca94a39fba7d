/* The lattice Boltzmann method with nine velocities in a plane: relaxation towards equilibrium, then transport. */

#define Q 9

static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double w[Q] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

void collide(double *f, int nx, int ny, double omega)
{
    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            double *cell = f + (y * nx + x) * Q;
            double rho = 0.0, ux = 0.0, uy = 0.0;

            for (int q = 0; q < Q; q++) {
                rho += cell[q];
                ux += cx[q] * cell[q];
                uy += cy[q] * cell[q];
            }
            ux /= rho;
            uy /= rho;

            double square = 1.5 * (ux * ux + uy * uy);
            for (int q = 0; q < Q; q++) {
                double cu = 3.0 * (cx[q] * ux + cy[q] * uy);
                double equilibrium = w[q] * rho * (1.0 + cu + 0.5 * cu * cu - square);
                cell[q] = (1.0 - omega) * cell[q] + omega * equilibrium;
            }
        }
    }
}

void stream(const double *restrict from, double *restrict to, int nx, int ny)
{
    for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++)
            for (int q = 0; q < Q; q++)
                to[((y + cy[q]) * nx + x + cx[q]) * Q + q] = from[(y * nx + x) * Q + q];
}
