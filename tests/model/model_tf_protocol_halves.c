/* SPDX-License-Identifier: BSD-3-Clause */
/* The same exploration for targets whose 64-bit words are read and written in halves. */
#define SNT_TF_HALF_WORDS
#include "model_tf_protocol.c"
