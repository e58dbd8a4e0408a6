/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the stream monitor: what its three files share. */
#ifndef SNT_LIB_AUDIT_STREAM_INTERNAL_H
#define SNT_LIB_AUDIT_STREAM_INTERNAL_H

#include "../base/lock.h"
#include "../base/memory.h"
#include "clock_pair.h"
#include "fit.h"
#include "histogram.h"

#include "sensortime/stream_monitor.h"

enum { SNT__STREAM_WARMUP = 8, SNT__STREAM_FROZEN_RUN = 10, SNT__STREAM_KINDS = SNT_LOOKS_FOREIGN + 1 };

/* Intervals of one clock; quantiles are in the histogram, over steps forward. */
typedef struct snt__stream_steps {
    uint64_t steps, forward, equal, backward;
    int64_t worst_back, min, max;
    double mean, m2, sum;
    snt__histogram histogram;
} snt__stream_steps;

/* One message and the step to it, as the judge sees them. */
typedef struct snt__stream_step {
    uint64_t index;
    int64_t stamp, log;    /* of the later message; SNT_UNKNOWN = none */
    int64_t stamp_step;    /* SNT_UNKNOWN = none */
    int64_t log_step;      /* SNT_UNKNOWN = none */
    int64_t sequence_step; /* 0 = no numbers */
} snt__stream_step;

/* What the judge counts. Small, so that a report can judge what still waits on a copy. */
typedef struct snt__stream_counts {
    uint64_t gaps, gaps_warning, gaps_error, missing_lo, missing_hi;
    int64_t longest_gap, longest_gap_at;
    snt_finding gap_first; /* only the first_* fields of these are used */
    uint64_t bursts, burst_messages;
    int64_t longest_hold;
    snt_finding burst_first;
    uint64_t host_steps, stamp_jumps;
    int64_t host_step, host_step_at, stamp_jump;
    snt_finding host_first, jump_first;
    uint64_t backward, recorded_backward;
    int64_t worst_back, worst_recorded_back;
    snt_finding back_first, recorded_first;
    snt__stream_step
        pending; /* a long step that waits for the next one; index 0 = none (no step leads to message 0) */
    int64_t before_pending; /* step before that one; 0 = none */
    int64_t last_step;      /* latest step judged; 0 = none that counts */
    uint32_t in_burst;
} snt__stream_counts;

/* A run of messages with one stamp or one content. */
typedef struct snt__stream_run {
    uint64_t length;  /* of the present run; 0 = none */
    int64_t from;     /* when it began */
    uint32_t counted; /* it has lasted long enough to count as frozen */
    uint64_t frozen;  /* messages in all runs that did */
    int64_t longest;  /* [ns] */
    snt_finding first;
} snt__stream_run;

typedef struct snt__stream_state {
    uint64_t messages, bytes, first_bytes;
    uint64_t stamped, logged;
    int64_t first_stamp, last_stamp, first_log, last_log;
    uint64_t last_sequence;
    uint32_t has_sequence;
    uint64_t lost, reordered, sequence_steps;
    snt_finding lost_first;
    uint64_t zero;
    snt_finding zero_first, mixed_first, duplicate_first, future_first;
    uint64_t kinds[SNT__STREAM_KINDS], log_kinds[SNT__STREAM_KINDS];
    uint64_t stamp_gcd, log_gcd;
    snt__stream_run stamp_run, content_run;
    uint64_t content;
    /* delay */
    uint64_t compared, incomparable, future;
    int64_t delay_min, delay_max, apart_min, apart_max; /* apart: stamp − log where not comparable */
    int64_t apart_log;
    /* silence */
    int64_t poll_from, poll_now;
    uint32_t polled, silent;
    /* judging */
    snt__stream_counts counts;
    snt__stream_step held[SNT__STREAM_WARMUP];
    uint32_t held_count, warm;
    uint64_t event_head, event_tail, events_dropped;
    snt__fit fit;
    snt__stream_steps stamps, log;
    snt__histogram_signed delay;
} snt__stream_state;

struct snt_stream_monitor {
    snt_allocator allocator;
    snt__lock lock;
    snt_stream_monitor_config config;
    snt_stream_event *events;
    snt__stream_state s;
};

/* Median or expected period; SNT_UNKNOWN before there is one. `even` = it may serve as a measure. */
int64_t snt__stream_period(const snt_stream_monitor *m, bool *even);

/* Judge one step. Events go to `m` where `emit` is set. */
void snt__stream_judge(snt_stream_monitor *m, snt__stream_counts *counts, const snt__stream_step *step,
                       bool emit);
/* Judge the long step that waits for its successor, now that there is none. */
void snt__stream_settle(snt_stream_monitor *m, snt__stream_counts *counts, bool emit);

/* Counts as if the steps that wait had been judged now. Lock held. */
snt__stream_counts snt__stream_settled(snt_stream_monitor *m);
void snt__stream_report(snt_stream_monitor *m, const snt__stream_counts *counts, snt_stream_report *out);

#endif
