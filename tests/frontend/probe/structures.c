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
typedef struct { double re, im; } Complex;
typedef struct { Grid grid; double local[4][8]; } Model;
typedef union { float as_float; unsigned as_bits; } Word;

static struct { int count; double items[64]; } table = {9, {1, 2, 3}};

/* Grid g = {n, n + 1, x, y, 0.5}; step(&g) */
void step(Grid *g)
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

/* Model m = {{n, n, x, y, 2}, {{1}}}; inner_grid(&m) */
void inner_grid(Model *m)
{
    for (int i = 0; i < m->grid.nx; i++)
        m->grid.u[i] = m->grid.v[i] * m->grid.dt;
}

/* Model m = {{n, n, x, y, 2}, {{1}}}; inside(&m); x[0] = m.local[2][3] */
void inside(Model *m)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++)
            m->local[i][j] = i * 8 + j;
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

/* multiply((Complex *)x, (Complex *)y, n) */
void multiply(Complex *a, const Complex *b, int n)
{
    for (int i = 0; i < n; i++) {
        double re = a[i].re * b[i].re - a[i].im * b[i].im;
        a[i].im = a[i].re * b[i].im + a[i].im * b[i].re;
        a[i].re = re;
    }
}

/* Grid g = {n, n + 1, x, y, 0.5}; hoisted(&g) */
void hoisted(Grid *g)
{
    double *u = g->u, *v = g->v;
    const int n = g->nx;
    for (int i = 1; i < n; i++)
        u[i] = v[i] - v[i - 1];
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
