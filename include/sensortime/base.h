/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file base.h
 * Status codes, memory and the shared session handle: what every other header builds on.
 *
 * Rules that hold for the whole library, said once:
 * - Functions return ::snt_status. Negative is a failure and leaves every output untouched, except those that
 *   explain it (a miss, a proof, an admission record, the count that SNT_ERR_BUFFER_TOO_SMALL was too small for); a
 *   `create` sets `*out = NULL`. Positive is "nothing to give yet" and no fault. There is no errno and no last-error state.
 * - A function that writes text (`…_format`) cuts it to the size it is given, never inside a UTF-8 character, and
 *   always terminates it; SNT_ERR_BUFFER_TOO_SMALL tells that it was cut. Size 0 writes nothing, and NULL for the text
 *   is SNT_ERR_INVALID_ARG even then. No text depends on the program's locale: numbers have a decimal point.
 * - `destroy(NULL)` does nothing. Handles copy or count what they need; the caller's arguments may go away as
 *   soon as a call returns, unless the function says otherwise.
 * - A config struct starts with `struct_size`. Fill it with its `…_config_init(&cfg, sizeof cfg)`, change what you
 *   need, and pass it; NULL means all defaults. A zeroed config is not that, and mostly refused: zero is the default of
 *   every field appended after release 1.0, not of those that were there. A struct shorter than that of release 1.0,
 *   longer than 4096 bytes, or with anything but zeros where this library knows no field is refused with
 *   SNT_ERR_INVALID_ARG.
 * - All memory of a handle is taken at `create` from its allocator. Later calls do not allocate unless their fact
 *   line says so.
 * - Each function has a fact line. Thread classes: **P** pure, any thread; **H** one handle, one thread at a time,
 *   different handles independent; **C** one or more writers with any number of concurrent readers; **L** takes a
 *   short lock and may be called from any thread.
 * - Nothing here reads a clock (except a snt_clock_source), blocks, prints, aborts or calls back under a lock.
 */
#ifndef SENSORTIME_BASE_H
#define SENSORTIME_BASE_H

#include <stddef.h>
#include <stdint.h>

/*
 * SNT_STATIC: the library's code becomes part of the caller's own program or shared library, and stays private to it,
 * so that other copies in the same process, of whatever version, keep their own.
 */
#if defined(SNT_FFI)
#define SNT_API /* bindings generators parse the headers without attributes */
#elif defined(SNT_STATIC) && defined(__GNUC__) && !defined(_WIN32)
#define SNT_API __attribute__((visibility("hidden")))
#elif defined(_WIN32) && defined(SNT_BUILD_SHARED)
#define SNT_API __declspec(dllexport)
#elif defined(_WIN32) && defined(SNT_USE_SHARED)
#define SNT_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define SNT_API __attribute__((visibility("default")))
#else
#define SNT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Outcome of a call: 0 success, negative failure, positive "nothing to give yet".
 */
typedef int32_t snt_status;

/**
 * Every status as X(name, number, text). The numbers are part of the ABI and never reused.
 */
#define SNT_STATUS_MAP(X)                                                                                    \
    X(SNT_OK, 0, "success")                                                                                  \
    X(SNT_EMPTY, 1, "nothing is waiting to be taken")                                                        \
    X(SNT_PENDING, 2, "not yet: more data or time is needed")                                                \
    X(SNT_BUSY, 3, "writers changed the data read in every attempt; ask again")                              \
    X(SNT_ERR_INVALID_ARG, -1, "an argument is null, of the wrong size or contradicts another")              \
    X(SNT_ERR_NO_MEMORY, -2, "the allocator returned no memory")                                             \
    X(SNT_ERR_OVERFLOW, -3, "the result does not fit its type")                                              \
    X(SNT_ERR_RANGE, -4, "a value lies outside its declared range")                                          \
    X(SNT_ERR_NON_FINITE, -5, "a number is NaN or infinite")                                                 \
    X(SNT_ERR_DOMAIN, -6, "the times belong to different clocks")                                            \
    X(SNT_ERR_SESSION, -7, "the data belongs to another session of its clock")                               \
    X(SNT_ERR_STALE, -8, "the data may be older than allowed")                                               \
    X(SNT_ERR_FUTURE, -9, "the time lies after the newest data")                                             \
    X(SNT_ERR_PAST, -10, "the time lies before the oldest data")                                             \
    X(SNT_ERR_AMBIGUOUS, -11, "more than one reading of the data is possible")                               \
    X(SNT_ERR_DUPLICATE, -12, "the same time or item was given before")                                      \
    X(SNT_ERR_BACKWARD, -13, "the time went backwards beyond the declared reorder window")                   \
    X(SNT_ERR_RESET_SUSPECT, -14, "the counter does not continue; the device may have restarted")            \
    X(SNT_ERR_NOT_FOUND, -15, "no such item")                                                                \
    X(SNT_ERR_NOT_CONNECTED, -16, "no path leads from one to the other")                                     \
    X(SNT_ERR_CYCLE, -17, "the edge would close a cycle")                                                    \
    X(SNT_ERR_CONFLICT, -18, "contradicts what is already there")                                            \
    X(SNT_ERR_FULL, -19, "the declared capacity is used up")                                                 \
    X(SNT_ERR_FORMAT, -20, "malformed text or bytes")                                                        \
    X(SNT_ERR_TRUNCATED, -21, "the bytes end before the message does")                                       \
    X(SNT_ERR_UNSUPPORTED, -22, "valid, but not supported here")                                             \
    X(SNT_ERR_PRECISION, -23, "the type is too coarse to hold this time")                                    \
    X(SNT_ERR_NO_TIME, -24, "there is no usable time in the data")                                           \
    X(SNT_ERR_EXPIRED, -25, "the table or validity interval has expired")                                    \
    X(SNT_ERR_INVALID_STATE, -26, "the handle is not in a state that can answer")                            \
    X(SNT_ERR_VIOLATION, -27, "the observation contradicts the declared assumptions")                        \
    X(SNT_ERR_UNCERTAIN, -28, "the error bound is missing or wider than allowed")                            \
    X(SNT_ERR_VERSION, -29, "that version is unknown or no longer kept")                                     \
    X(SNT_ERR_GAP, -30, "the hole in the data is too wide to bridge")                                        \
    X(SNT_ERR_BAD_QUATERNION, -31, "the quaternion is not of unit length")                                   \
    X(SNT_ERR_LAYOUT, -32, "sizes, offsets and counts contradict each other")                                \
    X(SNT_ERR_BUFFER_TOO_SMALL, -33, "the output buffer is too small")                                       \
    X(SNT_ERR_TREE_CHANGED, -34, "the tree changed since the path was resolved")                             \
    X(SNT_ERR_TIMEOUT, -35, "the declared waiting time is over")                                             \
    X(SNT_ERR_CLOCK_MISMATCH, -36, "the times lie years apart: two different clocks")                        \
    X(SNT_ERR_INCOMPATIBLE, -37, "offer and request do not match")                                           \
    X(SNT_ERR_HORIZON, -38, "beyond the horizon up to which the bound is vouched for")

enum {
#define SNT_X(name, number, text) name = number,
    SNT_STATUS_MAP(SNT_X)
#undef SNT_X
};

/**
 * The constant's name, for logs and bindings.
 *
 * @param status any status
 * @return static text such as "SNT_ERR_DOMAIN"; "SNT_UNKNOWN_STATUS" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_status_name(snt_status status);

/**
 * What the status means, in a few English words.
 *
 * @param status any status
 * @return static text without full stop
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_status_text(snt_status status);

/**
 * Where a handle takes its memory from. Both functions are needed; they are called only from the calls whose fact
 * line says so, and may be called from whichever thread makes that call.
 */
typedef struct snt_allocator {
    void *(*alloc)(size_t size, size_t align,
                   void *user);             /**< `size` bytes at a power-of-two `align`, or NULL */
    void (*free)(void *memory, void *user); /**< what `alloc` returned; never NULL */
    void *user;                             /**< passed through */
} snt_allocator;

/**
 * The current session of a clock or stream, shared by everything that depends on it.
 *
 * A device reboot, a counter reset or a replay seek starts a new session: its owner bumps the epoch. Filters,
 * matchers, buffers and maps that hold the epoch compare it at their next call; nobody is called back.
 */
typedef struct snt_epoch snt_epoch;

/** Why a session began. */
enum {
    SNT_EPOCH_START = 0,         /**< the first session */
    SNT_EPOCH_DEVICE_BOOT = 1,   /**< the device restarted */
    SNT_EPOCH_COUNTER_RESET = 2, /**< its counter started over */
    SNT_EPOCH_HOST_STEP = 3,     /**< the host clock was set */
    SNT_EPOCH_REPLAY_SEEK = 4,   /**< a recording was looped or sought */
    SNT_EPOCH_SUSPEND = 5,       /**< the host slept */
    SNT_EPOCH_USER = 6           /**< the application asked for it */
};

/**
 * Make an epoch in session 1.
 *
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the epoch, with one reference; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG, SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_epoch_create(const snt_allocator *allocator, snt_epoch **out);

/**
 * Count one more user of the epoch. Handles that are given an epoch do this themselves.
 *
 * @param epoch an epoch; NULL is allowed
 * @return `epoch`
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_epoch *snt_epoch_ref(snt_epoch *epoch);

/**
 * Drop one reference; the last one frees the epoch.
 *
 * @param epoch an epoch, or NULL
 * @thread C  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_epoch_unref(snt_epoch *epoch);

/**
 * Begin the next session. Whoever holds the epoch sees it at its next call.
 *
 * @param epoch  an epoch
 * @param reason one of SNT_EPOCH_*
 * @return number of the new session (0 is skipped when the counter wraps); 0 if `epoch` is NULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_epoch_bump(snt_epoch *epoch, uint32_t reason);

/**
 * The current session: 1 at first, never 0.
 *
 * @param epoch an epoch; NULL gives 0, "no session is kept"
 * @return session number
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_epoch_session(const snt_epoch *epoch);

/**
 * Why the current session began.
 *
 * @param epoch an epoch; NULL gives SNT_EPOCH_START
 * @return one of SNT_EPOCH_*
 * @thread C  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_epoch_reason(const snt_epoch *epoch);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_BASE_H */
