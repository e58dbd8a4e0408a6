/* SPDX-License-Identifier: BSD-3-Clause */
/* How others deskew, written anew in Eigen: one thread, their own memory layout (Vector3d and double times 0..1). */
#ifndef SNT_BENCH_DESKEW_PEER_H
#define SNT_BENCH_DESKEW_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the peers were built. */
int deskew_peer_present(void);

/* One exponential of SE(3) per point, in double (KISS-ICP). twist: v, w for the whole scan; reference = end. */
void deskew_peer_kiss(const double *twist, const double *times, double *xyz, size_t n);

/* SLERP and straight line between two poses per point (CT-ICP, GLIM). q: x, y, z, w; t. */
void deskew_peer_slerp(const double *q, const double *t, const double *times, double *xyz, size_t n);

/* Fixed axis, Rodrigues' formula per point (rko_lio). */
void deskew_peer_rodrigues(const double *twist, const double *times, double *xyz, size_t n);

/* One matrix per column, all rows of a column at one time (ouster-sdk): rows×columns points, row by row. */
void deskew_peer_columns(const double *matrices, double *xyz, size_t rows, size_t columns);

#ifdef __cplusplus
}
#endif

#endif
