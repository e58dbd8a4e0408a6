/* SPDX-License-Identifier: BSD-3-Clause */
/* tf2's BufferCore with the requests that its message filter makes. Without the package create gives NULL. */
#ifndef SNT_BENCH_FILTER_PEER_H
#define SNT_BENCH_FILTER_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct filter_peer filter_peer;

filter_peer *filter_peer_create(void);
void filter_peer_insert(filter_peer *peer, int64_t t_ns); /* odom -> base */
void filter_peer_add(filter_peer *peer, int64_t t_ns); /* wait for base in odom at t, look it up when told */
uint64_t filter_peer_released(const filter_peer *peer);
void filter_peer_destroy(filter_peer *peer);

#ifdef __cplusplus
}
#endif

#endif
