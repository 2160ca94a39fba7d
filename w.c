
#include <stddef.h>
struct grid { int nx, ny; double scale, total; double *data; double u[4][70]; int dims[3]; };
struct wrap { struct grid *g; struct { double a, b; } in; };
typedef struct image image;
typedef struct { double x, y; double v[2]; int id, flag; float w; } body;
struct cell { float f[3]; };
struct image { long w, h; unsigned char *px; double *mask; };
static int limit;
__attribute__((noinline)) void polyloop_alone(struct grid *g, double *a)
{
#pragma scop
int i = 0; while (i < g->nx) { a[i] += g->data[i]; i++; }
#pragma endscop
}

__attribute__((visibility("default"))) void polyloop_run(const long long *polyloop_slots)
{
    (void)polyloop_slots;
    struct grid *g;
    static __attribute__((aligned(64))) char polyloop_room_1[sizeof *(g) + 4096];
    { void *value = polyloop_room_1; __builtin_memcpy((void *)&(g), &value, sizeof value); }
    { __typeof__((g->nx) + 0) value = polyloop_slots[0]; __builtin_memcpy((void *)&(g->nx), &value, sizeof(g->nx)); }
    { void *value = (void *)(polyloop_slots[1]); __builtin_memcpy((void *)&(g->data), &value, sizeof value); }
    polyloop_alone(g, (void *)polyloop_slots[2]);
}

__attribute__((visibility("default"))) void polyloop_use_threads(int polyloop_count)
{
    (void)polyloop_count;
#ifdef _OPENMP
    extern void omp_set_num_threads(int);
    omp_set_num_threads(polyloop_count);
#endif
}
