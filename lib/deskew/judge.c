/* SPDX-License-Identifier: BSD-3-Clause */
/* Points whose time or motion is not known: what is said of them and what is done. */
#include "apply.h"

typedef struct judge_sentence {
    uint8_t flags;
    uint32_t policy;
    snt_status failure;
} judge_sentence;

static judge_sentence judge_one(const snt__deskew_job *job, int32_t t)
{
    const snt_deskew_scan *scan = &job->plan->scan;
    if (t == SNT__DESKEW_NO_TIME)
        return (judge_sentence){SNT_POINT_INVALID_TIME, scan->invalid_time, SNT_ERR_NON_FINITE};
    if (t < job->scan_low || t > job->scan_high)
        return (judge_sentence){SNT_POINT_OUTLIER, scan->outlier,
                                t < job->scan_low ? SNT_ERR_PAST : SNT_ERR_FUTURE};
    if (t < job->known_low || t > job->known_high)
        return (judge_sentence){SNT_POINT_OUTSIDE, scan->outside,
                                t < job->known_low ? SNT_ERR_PAST : SNT_ERR_FUTURE};
    if (job->plan->holes && snt__deskew_in_hole(job->plan, job->plan->origin_ns + t))
        return (judge_sentence){SNT_POINT_OUTSIDE, scan->outside, SNT_ERR_GAP};
    return (judge_sentence){0, SNT_DESKEW_CLAMP, SNT_OK};
}

void snt__deskew_judge(const snt__deskew_job *job, int32_t *t, size_t n, snt__deskew_verdict *verdict)
{
    verdict->keep_count = verdict->drop_count = 0;
    verdict->fails = SNT_OK;
    for (size_t i = 0; i < n; i++) {
        const judge_sentence said = judge_one(job, t[i]);
        uint8_t flags = said.flags;
        const bool covered = t[i] >= job->eval_low && t[i] <= job->eval_high;
        switch (flags ? said.policy : SNT_DESKEW_CLAMP) {
        case SNT_DESKEW_KEEP:
            verdict->keep[verdict->keep_count++] = (uint8_t)i;
            break;
        case SNT_DESKEW_DROP:
            verdict->drop[verdict->drop_count++] = (uint8_t)i;
            flags |= SNT_POINT_DROPPED;
            break;
        case SNT_DESKEW_FAIL:
            if (!verdict->fails)
                verdict->fails = said.failure;
            break;
        case SNT_DESKEW_EXTRAPOLATE:
            if (t[i] < job->known_low || t[i] > job->known_high)
                flags |= SNT_POINT_EXTRAPOLATED;
            if (!covered)
                flags |= SNT_POINT_CLAMPED;
            break;
        default:
            if (!covered)
                flags |= SNT_POINT_CLAMPED;
        }
        verdict->flags[i] = flags;
        /* every lane of a kernel needs a time that a segment covers */
        t[i] = t[i] < job->eval_low ? job->eval_low : t[i] > job->eval_high ? job->eval_high : t[i];
    }
}
