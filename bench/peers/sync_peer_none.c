/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in where message_filters is not installed: ours is measured alone. */
#include "sync_peer.h"

#include <stddef.h>
#include <stdio.h>

sync_peer *sync_peer_create(uint32_t exact, uint32_t inputs, uint32_t queue)
{
    static int said;
    (void)exact, (void)inputs, (void)queue;
    if (!said++)
        fprintf(stderr, "# peer left out: libmessage-filters-dev was not found when this was built\n");
    return NULL;
}

void sync_peer_add(sync_peer *peer, uint32_t input, int64_t t_ns)
{
    (void)peer, (void)input, (void)t_ns;
}

uint64_t sync_peer_sets(const sync_peer *peer)
{
    (void)peer;
    return 0;
}

void sync_peer_destroy(sync_peer *peer)
{
    (void)peer;
}
