/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs behind the pages share: nothing of it is shown there but `need`. */
#ifndef SNIPPET_H
#define SNIPPET_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <sensortime/sensortime.h>

/* Ends the program when a call fails: pages show what happens when none does. */
#define need(call)                                                                                           \
    do {                                                                                                     \
        const snt_status need_status = (call);                                                               \
        if (need_status < 0) {                                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, snt_status_text(need_status));     \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* Ends the program when what the page says did not happen. */
#define expect(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

#endif
