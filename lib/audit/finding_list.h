/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects findings, then gives them out with the errors first. */
#ifndef SNT_LIB_AUDIT_FINDING_LIST_H
#define SNT_LIB_AUDIT_FINDING_LIST_H

#include "../base/internal.h"

#include "sensortime/finding.h"

enum { SNT__FINDING_MOST = 32 };

typedef struct snt__finding_list {
    uint32_t count;
    uint32_t reserved;
    snt_finding items[SNT__FINDING_MOST + 1]; /* one to spare, which an overflow would land in */
} snt__finding_list;

/* A new finding with its usual severity; `first` lends where it began (NULL = nowhere). */
snt_finding *snt__finding_add(snt__finding_list *list, uint32_t code, double certainty,
                              const snt_finding *first);
snt_status snt__finding_give(snt__finding_list *list, snt_finding *out, uint32_t capacity, uint32_t *count);

#endif
