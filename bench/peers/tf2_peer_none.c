/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in where tf2 is not installed: ours is measured alone. */
#include "tf2_peer.h"

#include <stddef.h>
#include <stdio.h>

tf2_peer *tf2_peer_create(double cache_seconds)
{
    static int said;
    (void)cache_seconds;
    if (!said++)
        fprintf(stderr, "# tf2 is not installed (libtf2-dev): no peer\n");
    return NULL;
}

void tf2_peer_set(tf2_peer *peer, int parent, int child, int64_t stamp_ns, const double *q, const double *t)
{
    (void)peer, (void)parent, (void)child, (void)stamp_ns, (void)q, (void)t;
}

void tf2_peer_set_kind(tf2_peer *peer, int parent, int child, int64_t stamp_ns, const double *q,
                       const double *t, int is_static)
{
    (void)is_static;
    tf2_peer_set(peer, parent, child, stamp_ns, q, t);
}

int tf2_peer_lookup(tf2_peer *peer, int target, int source, int64_t t_ns, double *out)
{
    (void)peer, (void)target, (void)source, (void)t_ns, (void)out;
    return 0;
}

int tf2_peer_can(tf2_peer *peer, int target, int source, int64_t t_ns)
{
    (void)peer, (void)target, (void)source, (void)t_ns;
    return 0;
}

uint64_t tf2_peer_heap_bytes(void)
{
    return 0;
}

void tf2_peer_destroy(tf2_peer *peer)
{
    (void)peer;
}
