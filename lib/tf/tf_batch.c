/* SPDX-License-Identifier: BSD-3-Clause */
/* Many times on one path. */
#include "tf_internal.h"

snt_status snt_tf_path_lookup_many(const snt_tf_path *path, const snt_tf_question *question,
                                   snt_tf_cursor *cursor, const void *stamps, uint64_t stamp_stride,
                                   uint64_t n, void *poses, uint64_t pose_stride, snt_status *statuses,
                                   uint64_t *answered)
{
    stamp_stride = stamp_stride ? stamp_stride : sizeof(int64_t);
    pose_stride = pose_stride ? pose_stride : sizeof(snt_pose);
    if (!path || (n && (!stamps || !poses)) || stamp_stride < sizeof(int64_t) ||
        pose_stride < sizeof(snt_pose))
        return SNT_ERR_INVALID_ARG;
    snt_tf_question q;
    snt_status status = snt__tf_question_read(question, &q);
    if (status < 0)
        return status;
    snt_tf_cursor own;
    if (!cursor) {
        snt_tf_cursor_init(&own);
        cursor = &own;
    }
    q.when = SNT_TF_AT;
    uint64_t good = 0;
    snt_status first = SNT_OK;
    const unsigned char *in = stamps;
    unsigned char *out = poses;
    for (uint64_t i = 0; i < n; i++, in += stamp_stride, out += pose_stride) {
        memcpy(&q.t, in, sizeof q.t);
        snt_tf_result result;
        status = snt_tf_path_ask(path, &q, cursor, &result, NULL);
        if (status == SNT_OK) {
            memcpy(out, &result.pose, sizeof result.pose);
            good++;
        } else if (first == SNT_OK) {
            first = status;
        }
        if (statuses)
            statuses[i] = status;
    }
    if (answered)
        *answered = good;
    return first;
}
