/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigen was not found: ours alone is measured. */
#include "deskew_peer.h"

int deskew_peer_present(void)
{
    return 0;
}

void deskew_peer_kiss(const double *twist, const double *times, double *xyz, size_t n)
{
    (void)twist, (void)times, (void)xyz, (void)n;
}

void deskew_peer_slerp(const double *q, const double *t, const double *times, double *xyz, size_t n)
{
    (void)q, (void)t, (void)times, (void)xyz, (void)n;
}

void deskew_peer_rodrigues(const double *twist, const double *times, double *xyz, size_t n)
{
    (void)twist, (void)times, (void)xyz, (void)n;
}

void deskew_peer_columns(const double *matrices, double *xyz, size_t rows, size_t columns)
{
    (void)matrices, (void)xyz, (void)rows, (void)columns;
}
