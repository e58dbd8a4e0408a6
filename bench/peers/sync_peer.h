/* SPDX-License-Identifier: BSD-3-Clause */
/* message_filters behind four C functions. Without the package sync_peer_create gives NULL. */
#ifndef SNT_BENCH_SYNC_PEER_H
#define SNT_BENCH_SYNC_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sync_peer sync_peer;

sync_peer *sync_peer_create(uint32_t exact, uint32_t inputs, uint32_t queue); /* 2 or 4 inputs */
void sync_peer_add(sync_peer *peer, uint32_t input, int64_t t_ns);
uint64_t sync_peer_sets(const sync_peer *peer);
void sync_peer_destroy(sync_peer *peer);

#ifdef __cplusplus
}
#endif

#endif
