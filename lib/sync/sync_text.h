/* SPDX-License-Identifier: BSD-3-Clause */
/* What the texts of this room have in common. */
#ifndef SNT_LIB_SYNC_TEXT_H
#define SNT_LIB_SYNC_TEXT_H

#include "../base/print.h"

/* The words and a time behind them; nothing if the time is unknown. */
void snt__print_known(snt__printer *out, const char *words, int64_t ns);
/* Why something was dropped, and what went wrong behind that (0 = nothing). */
void snt__print_drop(snt__printer *out, uint32_t reason, uint32_t cause);

#endif
