/* Members of structures. */
typedef struct {
    int nx, ny;
    double *u, *v, dt;
} Grid;

typedef struct {
    int width, height;
    unsigned char *data;
} Image;

typedef struct { float x, y, z; int kind; } Particle;
typedef struct { Grid grid; int steps; } Model;
typedef union { float as_float; unsigned as_bits; } Word;

static struct { int count; double items[64]; } table = {9, {1, 2, 3}};

/* Grid g = {n, n + 1, x, y, 0.5}; relax(&g) */
void relax(Grid *g)
{
    for (int i = 1; i < g->nx - 1; i++)
        for (int j = 1; j < g->ny - 1; j++)
            g->v[i * g->ny + j] = g->u[i * g->ny + j] + g->dt * (g->u[(i - 1) * g->ny + j] + g->u[i * g->ny + j + 1]);
}

/* Image a = {n, n, b}, c = {n, n, b + 500}; invert(&a, &c) */
void invert(const Image *src, Image *dst)
{
    for (int i = 0; i < src->width * src->height; i++)
        dst->data[i] = 255 - src->data[i];
}

/* move((Particle *)f, n, 0.5f) */
void move(Particle *p, int n, float dt)
{
    for (int j = 0; j < n; j++) {
        p[j].x += dt * p[j].z;
        p[j].y -= dt;
    }
}

/* Grid g = {n, n + 1, x, y, 0.5}; by_value(g) */
void by_value(Grid g)
{
    for (int i = 0; i < g.nx; i++)
        g.u[i] += g.v[i] * g.dt;
}

/* Model m = {{n, n, x, y, 2}, 1}; inner_grid(&m) */
void inner_grid(Model *m)
{
    for (int i = 0; i < m->grid.nx; i++)
        m->grid.u[i] = m->grid.v[i] * m->grid.dt;
}

/* global(x) */
void global(double *x)
{
    for (int i = 0; i < table.count; i++)
        x[i] += table.items[i];
}

/* local_copy((Particle *)f, y, n) */
void local_copy(const Particle *p, double *out, int n)
{
    for (int i = 0; i < n; i++) {
        Particle q = p[i];
        out[i] = q.x * q.x + q.y * q.y;
    }
}

/* whole((Particle *)f, (Particle *)f + 100, n) */
void whole(Particle *to, const Particle *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

/* pointer_to_one((Particle *)f, n) */
void pointer_to_one(Particle *all, int n)
{
    for (int i = 0; i < n; i++) {
        Particle *p = &all[i];
        p->x = p->y * 2;
        if (p->kind > 2)
            p->z = 0;
    }
}

/* bits(f, l, n) */
void bits(const float *x, int *out, int n)
{
    for (int i = 0; i < n; i++) {
        Word w;
        w.as_float = x[i];
        out[i] = w.as_bits >> 23;
    }
}
