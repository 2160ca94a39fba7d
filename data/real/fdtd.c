/* Maxwell's equations in two dimensions (TMz) on Yee's grid, which one structure holds: magnetic, then electric field. */

typedef struct {
    int size_x, size_y;
    double *hx, *chxh, *chxe;
    double *hy, *chyh, *chye;
    double *ez, *ceze, *cezh;
} Grid;

#define SIZE_X (g->size_x)
#define SIZE_Y (g->size_y)
#define HX(m, n) g->hx[(m) * (SIZE_Y - 1) + (n)]
#define CHXH(m, n) g->chxh[(m) * (SIZE_Y - 1) + (n)]
#define CHXE(m, n) g->chxe[(m) * (SIZE_Y - 1) + (n)]
#define HY(m, n) g->hy[(m) * SIZE_Y + (n)]
#define CHYH(m, n) g->chyh[(m) * SIZE_Y + (n)]
#define CHYE(m, n) g->chye[(m) * SIZE_Y + (n)]
#define EZ(m, n) g->ez[(m) * SIZE_Y + (n)]
#define CEZE(m, n) g->ceze[(m) * SIZE_Y + (n)]
#define CEZH(m, n) g->cezh[(m) * SIZE_Y + (n)]

void update_h(Grid *g)
{
    int mm, nn;

    for (mm = 0; mm < SIZE_X; mm++)
        for (nn = 0; nn < SIZE_Y - 1; nn++)
            HX(mm, nn) = CHXH(mm, nn) * HX(mm, nn) - CHXE(mm, nn) * (EZ(mm, nn + 1) - EZ(mm, nn));

    for (mm = 0; mm < SIZE_X - 1; mm++)
        for (nn = 0; nn < SIZE_Y; nn++)
            HY(mm, nn) = CHYH(mm, nn) * HY(mm, nn) + CHYE(mm, nn) * (EZ(mm + 1, nn) - EZ(mm, nn));
}

void update_e(Grid *g)
{
    int mm, nn;

    for (mm = 1; mm < SIZE_X - 1; mm++)
        for (nn = 1; nn < SIZE_Y - 1; nn++)
            EZ(mm, nn) = CEZE(mm, nn) * EZ(mm, nn)
                + CEZH(mm, nn) * ((HY(mm, nn) - HY(mm - 1, nn)) - (HX(mm, nn) - HX(mm, nn - 1)));
}
