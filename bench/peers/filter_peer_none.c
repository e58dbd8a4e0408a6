/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in where tf2 is not installed: ours is measured alone. */
#include "filter_peer.h"

#include <stddef.h>
#include <stdio.h>

filter_peer *filter_peer_create(void)
{
    fprintf(stderr, "# peer left out: libtf2-dev was not found when this was built\n");
    return NULL;
}

void filter_peer_insert(filter_peer *peer, int64_t t_ns)
{
    (void)peer, (void)t_ns;
}

void filter_peer_add(filter_peer *peer, int64_t t_ns)
{
    (void)peer, (void)t_ns;
}

uint64_t filter_peer_released(const filter_peer *peer)
{
    (void)peer;
    return 0;
}

void filter_peer_destroy(filter_peer *peer)
{
    (void)peer;
}
