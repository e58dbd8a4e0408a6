/* SPDX-License-Identifier: BSD-3-Clause */
/* tf2::BufferCore behind a few C functions. Without the package tf2_peer_create gives NULL. */
#ifndef SNT_BENCH_TF2_PEER_H
#define SNT_BENCH_TF2_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tf2_peer tf2_peer;

tf2_peer *tf2_peer_create(double cache_seconds);
/* Frames are named f0, f1, …; T_parent_child = q (x, y, z, w), t. */
void tf2_peer_set(tf2_peer *peer, int parent, int child, int64_t stamp_ns, const double *q, const double *t);
void tf2_peer_set_kind(tf2_peer *peer, int parent, int child, int64_t stamp_ns, const double *q,
                       const double *t, int is_static);
/* 1 = answered; t_ns 0 = latest */
int tf2_peer_lookup(tf2_peer *peer, int target, int source, int64_t t_ns, double *out);
int tf2_peer_can(tf2_peer *peer, int target, int source, int64_t t_ns);
uint64_t tf2_peer_heap_bytes(void);
void tf2_peer_destroy(tf2_peer *peer);

#ifdef __cplusplus
}
#endif

#endif
