/* Gravity among all pairs of bodies, twice: as an array of structures, and as a structure of arrays. */

#include <math.h>

#define SOFTENING 1e-9f

typedef struct {
    float x, y, z;
    float vx, vy, vz;
} Body;

typedef struct {
    float *x, *y, *z;
    float *vx, *vy, *vz;
} Bodies;

static float inverse_cube(float dx, float dy, float dz)
{
    float square = dx * dx + dy * dy + dz * dz + SOFTENING;
    float inverse = 1.0f / sqrtf(square);
    return inverse * inverse * inverse;
}

void body_forces(Body *p, float dt, int n)
{
    for (int i = 0; i < n; i++) {
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;

        for (int j = 0; j < n; j++) {
            float dx = p[j].x - p[i].x;
            float dy = p[j].y - p[i].y;
            float dz = p[j].z - p[i].z;
            float factor = inverse_cube(dx, dy, dz);
            fx += dx * factor;
            fy += dy * factor;
            fz += dz * factor;
        }
        p[i].vx += dt * fx;
        p[i].vy += dt * fy;
        p[i].vz += dt * fz;
    }
}

void bodies_forces(Bodies *b, float dt, int n)
{
    for (int i = 0; i < n; i++) {
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;

        for (int j = 0; j < n; j++) {
            float dx = b->x[j] - b->x[i];
            float dy = b->y[j] - b->y[i];
            float dz = b->z[j] - b->z[i];
            float factor = inverse_cube(dx, dy, dz);
            fx += dx * factor;
            fy += dy * factor;
            fz += dz * factor;
        }
        b->vx[i] += dt * fx;
        b->vy[i] += dt * fy;
        b->vz[i] += dt * fz;
    }
}
