/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames and misses in words, also for other rooms. */
#ifndef SNT_LIB_TF_TEXT_H
#define SNT_LIB_TF_TEXT_H

#include "../base/print.h"

#include "sensortime/tf_buffer.h"

/* The frame's name, or '?' where it was removed. */
void snt__tf_print_frame(snt__printer *out, const snt_tf_buffer *buffer, snt_frame frame);
/* What ::snt_tf_miss_format writes; nothing without a miss. */
void snt__tf_print_miss(snt__printer *out, const snt_tf_buffer *buffer, const snt_tf_miss *miss);

#endif
