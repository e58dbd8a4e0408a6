/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file drop_reason.h
 * Why a message left a queue without being delivered: one list for the message filter, the synchronizer and the
 * sequencer, so that logs and counters of all of them read alike.
 */
#ifndef SENSORTIME_DROP_REASON_H
#define SENSORTIME_DROP_REASON_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every reason as X(name, number, text). The numbers are part of the ABI and never reused.
 */
#define SNT_DROP_MAP(X)                                                                                      \
    X(SNT_DROP_NONE, 0, "not dropped")                                                                       \
    X(SNT_DROP_OVERFLOW_OLDEST, 1, "the queue was full and this was the oldest")                             \
    X(SNT_DROP_OVERFLOW_NEWEST, 2, "the queue was full and this was the newest")                             \
    X(SNT_DROP_OVERFLOW_YOUNGER, 3, "the queue was full; those that waited longer were kept")                \
    X(SNT_DROP_TOO_OLD, 4, "older than the transform history, or in a hole of it")                           \
    X(SNT_DROP_EXPIRED, 5, "older than the greatest allowed age")                                            \
    X(SNT_DROP_TIMEOUT, 6, "waited longer than allowed")                                                     \
    X(SNT_DROP_NO_FRAME, 7, "a frame of this name was never seen")                                           \
    X(SNT_DROP_NOT_CONNECTED, 8, "no path leads from its frame to the target")                               \
    X(SNT_DROP_EMPTY_FRAME, 9, "its frame name is empty")                                                    \
    X(SNT_DROP_ZERO_STAMP, 10, "its stamp is zero and zero stamps are refused")                              \
    X(SNT_DROP_WRONG_DOMAIN, 11, "stamped by another clock")                                                 \
    X(SNT_DROP_CLOCK_MISMATCH, 12, "years away from its partners: another clock")                            \
    X(SNT_DROP_DUPLICATE, 13, "the same stamp was given before")                                             \
    X(SNT_DROP_LATE, 14, "older than what was already delivered")                                            \
    X(SNT_DROP_SUPERSEDED, 15, "a later message served better")                                              \
    X(SNT_DROP_NO_PARTNER, 16, "nothing on another input is near enough")                                    \
    X(SNT_DROP_UNCERTAIN, 17, "its time is not certain enough")                                              \
    X(SNT_DROP_RESET, 18, "a new session began while it waited")                                             \
    X(SNT_DROP_STRAGGLER, 19, "it belongs to an earlier session")                                            \
    X(SNT_DROP_CLEARED, 20, "the application cleared the queue")                                             \
    X(SNT_DROP_RETIRED, 21, "lent to one or more sets and now past: no loss")

enum {
#define SNT_X(name, number, text) name = number,
    SNT_DROP_MAP(SNT_X)
#undef SNT_X
        SNT_DROP_COUNT = 24 /**< length of arrays of counters by reason; not all numbers are in use */
};

/**
 * The constant's name.
 *
 * @param reason one of SNT_DROP_*
 * @return static text such as "SNT_DROP_LATE"; "SNT_DROP_UNKNOWN" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_drop_reason_name(uint32_t reason);

/**
 * What the reason means, in a few English words.
 *
 * @param reason one of SNT_DROP_*
 * @return static text without full stop
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_drop_reason_text(uint32_t reason);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_DROP_REASON_H */
