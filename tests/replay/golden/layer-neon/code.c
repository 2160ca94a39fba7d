typedef float polyloop_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int polyloop_i32x4 __attribute__((vector_size(16), aligned(4), may_alias));

/* A function whose loops are not distributed over several. gcc from 8 on (seen in 12.2 at -O3) does so behind a test
   whether the loops touch the same memory, which leaves out the last element of accesses under a condition. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define polyloop_undistributed __attribute__((optimize("no-tree-loop-distribution")))
#else
#define polyloop_undistributed
#endif

/* Keeps a loaded vector in its register: gcc would load it again wherever it is used. */
#if defined __SSE2__ && !defined __clang__
#define polyloop_keep_f32x4(vector) __asm__("" : "+v"(vector))
#else
#define polyloop_keep_f32x4(vector) ((void)0)
#endif

polyloop_undistributed void layer(const float (*restrict X)[32], const float (*restrict W)[40],
    const float *restrict b, float (*restrict H)[40])
{
    for (long nt = 0; nt < 5; nt++) {
        for (long mt = 0; mt < 2; mt++) {
            polyloop_f32x4 v313 = {0};
            polyloop_f32x4 v315 = {0};
            polyloop_f32x4 v317 = {0};
            polyloop_f32x4 v319 = {0};
            polyloop_f32x4 v321 = {0};
            polyloop_f32x4 v323 = {0};
            polyloop_f32x4 v325 = {0};
            polyloop_f32x4 v327 = {0};
            polyloop_f32x4 v329 = {0};
            polyloop_f32x4 v331 = {0};
            polyloop_f32x4 v333 = {0};
            polyloop_f32x4 v335 = {0};
            polyloop_f32x4 v337 = {0};
            polyloop_f32x4 v339 = {0};
            polyloop_f32x4 v341 = {0};
            polyloop_f32x4 v343 = {0};
            polyloop_f32x4 v345 = {0};
            polyloop_f32x4 v347 = {0};
            polyloop_f32x4 v349 = {0};
            polyloop_f32x4 v351 = {0};
            polyloop_f32x4 v353 = {0};
            polyloop_f32x4 v355 = {0};
            polyloop_f32x4 v357 = {0};
            polyloop_f32x4 v359 = {0};
#pragma GCC unroll 1
            for (long k = 0; k < 32; k++) {
                const float v48 = X[12 * mt][k];
                polyloop_f32x4 v49 = *(const polyloop_f32x4 *)&W[k][8 * nt];
                polyloop_keep_f32x4(v49);
                v313 = v48 * v49 + v313;
                polyloop_f32x4 v54 = *(const polyloop_f32x4 *)&W[k][8 * nt + 4];
                polyloop_keep_f32x4(v54);
                v315 = v48 * v54 + v315;
                const float v58 = X[12 * mt + 1][k];
                v317 = v58 * v49 + v317;
                v319 = v58 * v54 + v319;
                const float v68 = X[12 * mt + 2][k];
                v321 = v68 * v49 + v321;
                v323 = v68 * v54 + v323;
                const float v78 = X[12 * mt + 3][k];
                v325 = v78 * v49 + v325;
                v327 = v78 * v54 + v327;
                const float v88 = X[12 * mt + 4][k];
                v329 = v88 * v49 + v329;
                v331 = v88 * v54 + v331;
                const float v98 = X[12 * mt + 5][k];
                v333 = v98 * v49 + v333;
                v335 = v98 * v54 + v335;
                const float v108 = X[12 * mt + 6][k];
                v337 = v108 * v49 + v337;
                v339 = v108 * v54 + v339;
                const float v118 = X[12 * mt + 7][k];
                v341 = v118 * v49 + v341;
                v343 = v118 * v54 + v343;
                const float v128 = X[12 * mt + 8][k];
                v345 = v128 * v49 + v345;
                v347 = v128 * v54 + v347;
                const float v138 = X[12 * mt + 9][k];
                v349 = v138 * v49 + v349;
                v351 = v138 * v54 + v351;
                const float v148 = X[12 * mt + 10][k];
                v353 = v148 * v49 + v353;
                v355 = v148 * v54 + v355;
                const float v158 = X[12 * mt + 11][k];
                v357 = v158 * v49 + v357;
                v359 = v158 * v54 + v359;
            }
            polyloop_f32x4 v170 = *(const polyloop_f32x4 *)&b[8 * nt];
            polyloop_keep_f32x4(v170);
            const polyloop_f32x4 v171 = v313 + v170;
            const polyloop_f32x4 v173 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v171)) | ((polyloop_i32x4)v171
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v171)));
            *(polyloop_f32x4 *)&H[12 * mt][8 * nt] = v173;
            polyloop_f32x4 v176 = *(const polyloop_f32x4 *)&b[8 * nt + 4];
            polyloop_keep_f32x4(v176);
            const polyloop_f32x4 v177 = v315 + v176;
            const polyloop_f32x4 v179 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v177)) | ((polyloop_i32x4)v177
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v177)));
            *(polyloop_f32x4 *)&H[12 * mt][8 * nt + 4] = v179;
            const polyloop_f32x4 v183 = v317 + v170;
            const polyloop_f32x4 v185 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v183)) | ((polyloop_i32x4)v183
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v183)));
            *(polyloop_f32x4 *)&H[12 * mt + 1][8 * nt] = v185;
            const polyloop_f32x4 v189 = v319 + v176;
            const polyloop_f32x4 v191 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v189)) | ((polyloop_i32x4)v189
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v189)));
            *(polyloop_f32x4 *)&H[12 * mt + 1][8 * nt + 4] = v191;
            const polyloop_f32x4 v195 = v321 + v170;
            const polyloop_f32x4 v197 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v195)) | ((polyloop_i32x4)v195
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v195)));
            *(polyloop_f32x4 *)&H[12 * mt + 2][8 * nt] = v197;
            const polyloop_f32x4 v201 = v323 + v176;
            const polyloop_f32x4 v203 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v201)) | ((polyloop_i32x4)v201
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v201)));
            *(polyloop_f32x4 *)&H[12 * mt + 2][8 * nt + 4] = v203;
            const polyloop_f32x4 v207 = v325 + v170;
            const polyloop_f32x4 v209 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v207)) | ((polyloop_i32x4)v207
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v207)));
            *(polyloop_f32x4 *)&H[12 * mt + 3][8 * nt] = v209;
            const polyloop_f32x4 v213 = v327 + v176;
            const polyloop_f32x4 v215 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v213)) | ((polyloop_i32x4)v213
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v213)));
            *(polyloop_f32x4 *)&H[12 * mt + 3][8 * nt + 4] = v215;
            const polyloop_f32x4 v219 = v329 + v170;
            const polyloop_f32x4 v221 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v219)) | ((polyloop_i32x4)v219
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v219)));
            *(polyloop_f32x4 *)&H[12 * mt + 4][8 * nt] = v221;
            const polyloop_f32x4 v225 = v331 + v176;
            const polyloop_f32x4 v227 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v225)) | ((polyloop_i32x4)v225
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v225)));
            *(polyloop_f32x4 *)&H[12 * mt + 4][8 * nt + 4] = v227;
            const polyloop_f32x4 v231 = v333 + v170;
            const polyloop_f32x4 v233 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v231)) | ((polyloop_i32x4)v231
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v231)));
            *(polyloop_f32x4 *)&H[12 * mt + 5][8 * nt] = v233;
            const polyloop_f32x4 v237 = v335 + v176;
            const polyloop_f32x4 v239 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v237)) | ((polyloop_i32x4)v237
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v237)));
            *(polyloop_f32x4 *)&H[12 * mt + 5][8 * nt + 4] = v239;
            const polyloop_f32x4 v243 = v337 + v170;
            const polyloop_f32x4 v245 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v243)) | ((polyloop_i32x4)v243
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v243)));
            *(polyloop_f32x4 *)&H[12 * mt + 6][8 * nt] = v245;
            const polyloop_f32x4 v249 = v339 + v176;
            const polyloop_f32x4 v251 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v249)) | ((polyloop_i32x4)v249
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v249)));
            *(polyloop_f32x4 *)&H[12 * mt + 6][8 * nt + 4] = v251;
            const polyloop_f32x4 v255 = v341 + v170;
            const polyloop_f32x4 v257 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v255)) | ((polyloop_i32x4)v255
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v255)));
            *(polyloop_f32x4 *)&H[12 * mt + 7][8 * nt] = v257;
            const polyloop_f32x4 v261 = v343 + v176;
            const polyloop_f32x4 v263 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v261)) | ((polyloop_i32x4)v261
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v261)));
            *(polyloop_f32x4 *)&H[12 * mt + 7][8 * nt + 4] = v263;
            const polyloop_f32x4 v267 = v345 + v170;
            const polyloop_f32x4 v269 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v267)) | ((polyloop_i32x4)v267
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v267)));
            *(polyloop_f32x4 *)&H[12 * mt + 8][8 * nt] = v269;
            const polyloop_f32x4 v273 = v347 + v176;
            const polyloop_f32x4 v275 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v273)) | ((polyloop_i32x4)v273
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v273)));
            *(polyloop_f32x4 *)&H[12 * mt + 8][8 * nt + 4] = v275;
            const polyloop_f32x4 v279 = v349 + v170;
            const polyloop_f32x4 v281 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v279)) | ((polyloop_i32x4)v279
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v279)));
            *(polyloop_f32x4 *)&H[12 * mt + 9][8 * nt] = v281;
            const polyloop_f32x4 v285 = v351 + v176;
            const polyloop_f32x4 v287 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v285)) | ((polyloop_i32x4)v285
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v285)));
            *(polyloop_f32x4 *)&H[12 * mt + 9][8 * nt + 4] = v287;
            const polyloop_f32x4 v291 = v353 + v170;
            const polyloop_f32x4 v293 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v291)) | ((polyloop_i32x4)v291
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v291)));
            *(polyloop_f32x4 *)&H[12 * mt + 10][8 * nt] = v293;
            const polyloop_f32x4 v297 = v355 + v176;
            const polyloop_f32x4 v299 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v297)) | ((polyloop_i32x4)v297
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v297)));
            *(polyloop_f32x4 *)&H[12 * mt + 10][8 * nt + 4] = v299;
            const polyloop_f32x4 v303 = v357 + v170;
            const polyloop_f32x4 v305 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v303)) | ((polyloop_i32x4)v303
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v303)));
            *(polyloop_f32x4 *)&H[12 * mt + 11][8 * nt] = v305;
            const polyloop_f32x4 v309 = v359 + v176;
            const polyloop_f32x4 v311 = (polyloop_f32x4)(((polyloop_i32x4)(polyloop_f32x4){0}
                & (polyloop_i32x4)((polyloop_f32x4){0} > v309)) | ((polyloop_i32x4)v309
                & ~(polyloop_i32x4)((polyloop_f32x4){0} > v309)));
            *(polyloop_f32x4 *)&H[12 * mt + 11][8 * nt + 4] = v311;
        }
    }
}
