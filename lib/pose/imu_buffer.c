/* SPDX-License-Identifier: BSD-3-Clause */
#include "imu_buffer.h"

enum { IMU_MAX_CAPACITY = 1 << 24 };

static const snt_imu_buffer_config imu_buffer_defaults = {.struct_size = sizeof(snt_imu_buffer_config),
                                                          .capacity = 4096,
                                                          .reorder_ns = 100 * SNT_NS_PER_MS,
                                                          .T_body_imu = {{0, 0, 0, 1}, {0, 0, 0}}};

_Static_assert(sizeof(snt_imu_sample) == 64, "frozen");
_Static_assert(sizeof(snt_imu_margins) == 64, "frozen");
_Static_assert(sizeof(snt_imu_counters) == 64, "frozen");

void snt_imu_buffer_config_init(snt_imu_buffer_config *config, size_t size)
{
    snt__config_init(config, size, &imu_buffer_defaults, sizeof imu_buffer_defaults);
}

static snt_status imu_buffer_take_extrinsic(snt_pose *pose)
{
    static const snt_pose zero;
    if (memcmp(pose, &zero, sizeof zero) == 0) {
        snt_pose_identity(pose);
        return SNT_OK;
    }
    if (!snt__all_finite(pose->t, 3))
        return SNT_ERR_NON_FINITE;
    return snt_quaternion_normalise(pose->q, 0, pose->q);
}

static snt_status imu_buffer_read_config(const snt_imu_buffer_config *given, snt_imu_buffer_config *config)
{
    *config = imu_buffer_defaults;
    const snt_status status =
        snt__config_read(config, sizeof *config, SNT_END_OF(snt_imu_buffer_config, epoch), given);
    if (status < 0)
        return status;
    if (config->capacity < 2 || config->capacity > IMU_MAX_CAPACITY || config->reorder_ns < 0)
        return SNT_ERR_INVALID_ARG;
    return imu_buffer_take_extrinsic(&config->T_body_imu);
}

snt_status snt_imu_buffer_create(const snt_imu_buffer_config *config, const snt_allocator *allocator,
                                 snt_imu_buffer **out)
{
    snt_imu_buffer_config read;
    snt_allocator memory;
    if (!out)
        return SNT_ERR_INVALID_ARG;
    *out = NULL;
    snt_status status = imu_buffer_read_config(config, &read);
    if (status >= 0)
        status = snt__allocator_resolve(allocator, &memory);
    if (status < 0)
        return status;
    const uint32_t places = snt__pow2_at_least(read.capacity);
    snt__slab slab = {NULL, 0};
    snt__slab_take(&slab, 1, sizeof(snt_imu_buffer), SNT_CACHE_LINE);
    snt__slab_take(&slab, places, sizeof(snt_imu_sample), SNT_CACHE_LINE);
    slab.base = snt__alloc(&memory, slab.used, SNT_CACHE_LINE);
    if (!slab.base)
        return SNT_ERR_NO_MEMORY;
    slab.used = 0;
    snt_imu_buffer *buffer = snt__slab_take(&slab, 1, sizeof *buffer, SNT_CACHE_LINE);
    buffer->ring = snt__slab_take(&slab, places, sizeof *buffer->ring, SNT_CACHE_LINE);
    buffer->allocator = memory;
    buffer->config = read;
    buffer->capacity = places;
    if (snt__lock_init(&buffer->lock) != 0) {
        snt__free(&memory, buffer);
        return SNT_ERR_NO_MEMORY;
    }
    buffer->config.epoch = snt_epoch_ref(read.epoch);
    buffer->session = snt_epoch_session(read.epoch);
    *out = buffer;
    return SNT_OK;
}

void snt_imu_buffer_destroy(snt_imu_buffer *buffer)
{
    if (!buffer)
        return;
    snt_epoch_unref(buffer->config.epoch);
    snt__lock_destroy(&buffer->lock);
    const snt_allocator memory = buffer->allocator;
    snt__free(&memory, buffer);
}

void snt__imu_buffer_follow_epoch(snt_imu_buffer *buffer)
{
    const uint32_t session = snt_epoch_session(buffer->config.epoch);
    if (session == buffer->session)
        return;
    buffer->session = session;
    buffer->count = buffer->head = 0;
    buffer->counters.resets++;
}

uint32_t snt__imu_buffer_count_until(const snt_imu_buffer *buffer, snt_time t)
{
    uint32_t low = 0, high = buffer->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (snt__imu_buffer_at(buffer, middle)->stamp_ns <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static snt_imu_sample *imu_buffer_place(snt_imu_buffer *buffer, uint32_t i)
{
    return &buffer->ring[(buffer->head + i) & (buffer->capacity - 1)];
}

static snt_status imu_buffer_insert(snt_imu_buffer *buffer, const snt_imu_sample *sample)
{
    const uint32_t at = snt__imu_buffer_count_until(buffer, sample->stamp_ns);
    const bool late = at < buffer->count;
    if (at > 0 && snt__imu_buffer_at(buffer, at - 1)->stamp_ns == sample->stamp_ns) {
        buffer->counters.duplicate++;
        return SNT_ERR_DUPLICATE;
    }
    const bool full = buffer->count == buffer->config.capacity;
    if (late) {
        const snt_time newest = snt__imu_buffer_at(buffer, buffer->count - 1)->stamp_ns;
        if (snt_time_sub_sat(newest, sample->stamp_ns) > buffer->config.reorder_ns || (full && at == 0)) {
            buffer->counters.backward++;
            return SNT_ERR_BACKWARD;
        }
        buffer->counters.late++;
    }
    uint32_t place = at;
    if (full) {
        buffer->head = (buffer->head + 1) & (buffer->capacity - 1);
        buffer->count--;
        buffer->counters.evicted++;
        place--; /* the oldest one went; at > 0 here */
    }
    for (uint32_t i = buffer->count; i > place; i--)
        *imu_buffer_place(buffer, i) = *imu_buffer_place(buffer, i - 1);
    *imu_buffer_place(buffer, place) = *sample;
    buffer->count++;
    buffer->counters.inserted++;
    return SNT_OK;
}

/* Takes one sample with the lock held. */
static snt_status imu_buffer_take(snt_imu_buffer *buffer, const snt_imu_sample *sample)
{
    if (sample->flags & ~(uint32_t)SNT_IMU_HAS_ACCELERATION)
        return SNT_ERR_INVALID_ARG;
    if (!snt__all_finite(sample->rate, 3) ||
        ((sample->flags & SNT_IMU_HAS_ACCELERATION) && !snt__all_finite(sample->acceleration, 3))) {
        buffer->counters.non_finite++;
        return SNT_ERR_NON_FINITE;
    }
    return imu_buffer_insert(buffer, sample);
}

snt_status snt_imu_buffer_insert(snt_imu_buffer *buffer, const snt_imu_sample *sample)
{
    return sample ? snt_imu_buffer_insert_many(buffer, sample, 1, NULL) : SNT_ERR_INVALID_ARG;
}

snt_status snt_imu_buffer_insert_many(snt_imu_buffer *buffer, const snt_imu_sample *samples, uint64_t count,
                                      snt_status *statuses)
{
    snt_status first = SNT_OK;
    if (!buffer || (count && !samples))
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&buffer->lock);
    snt__imu_buffer_follow_epoch(buffer);
    for (uint64_t i = 0; i < count; i++) {
        const snt_status status = imu_buffer_take(buffer, &samples[i]);
        snt__keep_outcome(status, i, statuses, &first);
    }
    snt__lock_release(&buffer->lock);
    return first;
}

snt_status snt_imu_buffer_set_bias(snt_imu_buffer *buffer, const double *rate_bias,
                                   const double *acceleration_bias)
{
    static const double zero[3];
    const double *rate = rate_bias ? rate_bias : zero;
    const double *acceleration = acceleration_bias ? acceleration_bias : zero;
    if (!buffer)
        return SNT_ERR_INVALID_ARG;
    if (!snt__all_finite(rate, 3) || !snt__all_finite(acceleration, 3))
        return SNT_ERR_NON_FINITE;
    snt__lock_acquire(&buffer->lock);
    memcpy(buffer->rate_bias, rate, sizeof buffer->rate_bias);
    memcpy(buffer->acceleration_bias, acceleration, sizeof buffer->acceleration_bias);
    snt__lock_release(&buffer->lock);
    return SNT_OK;
}

/* Longest hole between neighbours that reaches into [begin, end]. */
static snt_duration imu_buffer_max_gap(const snt_imu_buffer *buffer, snt_time begin, snt_time end)
{
    const uint32_t until = snt__imu_buffer_count_until(buffer, begin);
    snt_duration most = 0;
    for (uint32_t i = until ? until : 1; i < buffer->count; i++) {
        const snt_time before = snt__imu_buffer_at(buffer, i - 1)->stamp_ns;
        if (before >= end)
            break;
        const snt_duration gap = snt_time_sub_sat(snt__imu_buffer_at(buffer, i)->stamp_ns, before);
        most = gap > most ? gap : most;
    }
    return most;
}

snt_status snt_imu_buffer_margins(snt_imu_buffer *buffer, snt_time begin_ns, snt_time end_ns,
                                  snt_imu_margins *out)
{
    if (!buffer || !out || end_ns < begin_ns)
        return SNT_ERR_INVALID_ARG;
    snt_imu_margins m = {
        .start_ns = SNT_UNKNOWN, .end_ns = SNT_UNKNOWN, .oldest_ns = SNT_UNKNOWN, .newest_ns = SNT_UNKNOWN};
    snt__lock_acquire(&buffer->lock);
    snt__imu_buffer_follow_epoch(buffer);
    m.session = buffer->session;
    m.count = buffer->count;
    if (buffer->count) {
        m.oldest_ns = snt__imu_buffer_at(buffer, 0)->stamp_ns;
        m.newest_ns = snt__imu_buffer_at(buffer, buffer->count - 1)->stamp_ns;
        m.start_ns = snt_time_sub_sat(begin_ns, m.oldest_ns);
        m.end_ns = snt_time_sub_sat(m.newest_ns, end_ns);
        m.max_gap_ns = imu_buffer_max_gap(buffer, begin_ns, end_ns);
        const uint32_t before = begin_ns == INT64_MIN ? 0 : snt__imu_buffer_count_until(buffer, begin_ns - 1);
        m.inside = snt__imu_buffer_count_until(buffer, end_ns) - before;
    }
    snt__lock_release(&buffer->lock);
    *out = m;
    return m.count ? SNT_OK : SNT_EMPTY;
}

snt_status snt_imu_buffer_copy(snt_imu_buffer *buffer, snt_time begin_ns, snt_time end_ns,
                               snt_imu_sample *out, uint64_t capacity, uint64_t *count)
{
    if (!buffer || !count || end_ns < begin_ns || (capacity && !out))
        return SNT_ERR_INVALID_ARG;
    snt_status status = SNT_OK;
    snt__lock_acquire(&buffer->lock);
    snt__imu_buffer_follow_epoch(buffer);
    uint32_t first = snt__imu_buffer_count_until(buffer, begin_ns);
    first = first ? first - 1 : 0;
    uint32_t behind = end_ns == INT64_MIN ? 0 : snt__imu_buffer_count_until(buffer, end_ns - 1);
    behind = behind < buffer->count ? behind + 1 : behind;
    const uint32_t n = behind > first ? behind - first : 0;
    if (n > capacity)
        status = SNT_ERR_BUFFER_TOO_SMALL;
    for (uint32_t i = 0; i < n && status == SNT_OK; i++)
        out[i] = *snt__imu_buffer_at(buffer, first + i);
    *count = n;
    snt__lock_release(&buffer->lock);
    return status == SNT_OK && !n ? SNT_EMPTY : status;
}

snt_status snt_imu_buffer_counters(snt_imu_buffer *buffer, snt_imu_counters *out)
{
    if (!buffer || !out)
        return SNT_ERR_INVALID_ARG;
    snt__lock_acquire(&buffer->lock);
    *out = buffer->counters;
    snt__lock_release(&buffer->lock);
    return SNT_OK;
}

void snt_imu_buffer_clear(snt_imu_buffer *buffer)
{
    if (!buffer)
        return;
    snt__lock_acquire(&buffer->lock);
    buffer->count = buffer->head = 0;
    buffer->counters.resets++;
    snt__lock_release(&buffer->lock);
}
