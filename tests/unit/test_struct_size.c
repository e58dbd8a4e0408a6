/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs that grow: every one that starts with struct_size, as a caller built against another release hands it over.
 * Breaking it on purpose: let snt__config_read skip its check of the tail or of the size, or let a …_config_init write
 * sizeof its own struct instead of the caller's size.
 */
#include "test.h"

#include <stdlib.h>

#include "lib/base/internal.h"
#include "synth_cloud.h"

enum { TAIL = 72, LONGEST = 4096 };

/* What the readers need besides the struct. */
static snt_tf_buffer *buffer;
static snt_frame parent, child;
static snt_deskew *plan;
static synth_cloud lidar;

static int open_all(void **state)
{
    (void)state;
    snt_tf_transform transform;
    if (snt_tf_buffer_create(NULL, NULL, &buffer) || snt_tf_buffer_frame(buffer, "map", &parent) ||
        snt_tf_buffer_frame(buffer, "base", &child) || snt_deskew_create(NULL, NULL, &plan))
        return -1;
    snt_tf_transform_init(&transform, parent, child, 1000);
    synth_scans(&lidar, &(synth_model){SYNTH_XYZ "t:u32", "t", 1, false, 0, 0.1, 0, 1}, 160);
    return snt_tf_buffer_insert_static(buffer, &transform, NULL);
}

static int close_all(void **state)
{
    (void)state;
    snt_tf_buffer_destroy(buffer);
    snt_deskew_destroy(plan);
    synth_free(&lidar);
    return 0;
}

/* ---- who reads which struct ---- */

#define READ_BY_CREATE(handle, create, destroy)                                                              \
    static snt_status read_##handle(const void *given)                                                       \
    {                                                                                                        \
        handle *made = NULL;                                                                                 \
        const snt_status status = create;                                                                    \
        assert_true((made != NULL) == (status == SNT_OK));                                                   \
        destroy(made);                                                                                       \
        return status;                                                                                       \
    }

READ_BY_CREATE(snt_clock_map, snt_clock_map_create(given, NULL, &made), snt_clock_map_destroy)
READ_BY_CREATE(snt_clock_graph, snt_clock_graph_create(given, NULL, &made), snt_clock_graph_destroy)
READ_BY_CREATE(snt_clock_source, snt_clock_source_create(given, NULL, &made), snt_clock_source_destroy)
READ_BY_CREATE(snt_device_clock, snt_device_clock_create(given, NULL, &made), snt_device_clock_destroy)
READ_BY_CREATE(snt_tick_unwrapper, snt_tick_unwrapper_create(given, NULL, &made), snt_tick_unwrapper_destroy)
READ_BY_CREATE(snt_imu_buffer, snt_imu_buffer_create(given, NULL, &made), snt_imu_buffer_destroy)
READ_BY_CREATE(snt_tf_buffer, snt_tf_buffer_create(given, NULL, &made), snt_tf_buffer_destroy)
READ_BY_CREATE(snt_message_filter, snt_message_filter_create(buffer, given, NULL, &made),
               snt_message_filter_destroy)
READ_BY_CREATE(snt_message_cache, snt_message_cache_create(given, NULL, &made), snt_message_cache_destroy)
READ_BY_CREATE(snt_time_sequencer, snt_time_sequencer_create(given, NULL, &made), snt_time_sequencer_destroy)
READ_BY_CREATE(snt_synchronizer, snt_synchronizer_create(given, NULL, &made), snt_synchronizer_destroy)
READ_BY_CREATE(snt_deskew, snt_deskew_create(given, NULL, &made), snt_deskew_destroy)
READ_BY_CREATE(snt_stream_monitor, snt_stream_monitor_create(given, NULL, &made), snt_stream_monitor_destroy)
READ_BY_CREATE(snt_scan_auditor, snt_scan_auditor_create(given, NULL, &made), snt_scan_auditor_destroy)

/* Where reading succeeds but the answer need not. */
static snt_status read_at_all(snt_status status)
{
    return status == SNT_ERR_INVALID_ARG ? status : SNT_OK;
}

static snt_status read_policy(const void *given)
{
    snt_sample sample;
    snt_bounded_time now;
    snt_admission_record record;
    snt_sample_init(&sample, 1000, SNT_DOMAIN_UNIX, 1);
    assert_status(snt_bounded_time_init(1000, 0, 0, SNT_DOMAIN_UNIX, 0, &now), SNT_OK);
    return read_at_all(snt_admission_check(given, &sample, &now, &record));
}

static snt_status read_question(const void *given)
{
    snt_tf_result result;
    return snt_tf_buffer_ask(buffer, parent, child, given, &result, NULL);
}

static snt_status read_edge(const void *given)
{
    return snt_tf_buffer_edge_configure(buffer, child, given);
}

static snt_status read_scan(const void *given)
{
    const snt_twist still = {0};
    return snt_deskew_plan_twist(plan, given, &still);
}

static snt_status apply_with(const snt_deskew_options *options, bool timed)
{
    float xyz[3] = {1, 2, 3};
    int64_t t = 0;
    snt_cloud cloud;
    snt_cloud_init(&cloud);
    assert_status(snt_cloud_set_points(&cloud, xyz, 0, SNT_TYPE_F32, 1), SNT_OK);
    if (timed)
        assert_status(
            snt_cloud_set_times(&cloud, &t, 0, SNT_TYPE_I64, SNT_TIME_UNIT_NS, SNT_TIME_REF_ABSOLUTE, 0, 0),
            SNT_OK);
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    assert_status(read_scan(&scan), SNT_OK);
    cloud.time_span_ns = 1; /* of a turn, for times by azimuth */
    return snt_deskew_apply_with(plan, &cloud, &cloud, options, NULL);
}

static snt_status read_options(const void *given)
{
    return apply_with(given, true);
}

static snt_status read_times(const void *given)
{
    snt_deskew_options options;
    snt_deskew_options_init(&options, sizeof options);
    options.times = given;
    return apply_with(&options, false);
}

static snt_status read_laser(const void *given)
{
    snt_deskew_scan scan;
    snt_deskew_scan_init(&scan, sizeof scan);
    return read_at_all(snt_deskew_scan_from_laser(given, &scan));
}

static snt_status read_layout(const void *given)
{
    snt_point_layout layout;
    return read_at_all(
        snt_point_layout_detect(lidar.fields, lidar.field_count, lidar.views, 1, given, &layout, NULL));
}

#define INIT(type, init)                                                                                     \
    static void init_##type(void *out, size_t size)                                                          \
    {                                                                                                        \
        init(out, size);                                                                                     \
    }

/* type, its init, its last field of release 1.0, who reads it */
#define SIZED(X)                                                                                             \
    X(snt_admission_policy, snt_admission_policy_init, epoch, read_policy)                                   \
    X(snt_clock_map_config, snt_clock_map_config_init, epoch, read_snt_clock_map)                            \
    X(snt_clock_graph_config, snt_clock_graph_config_init, leap_table, read_snt_clock_graph)                 \
    X(snt_clock_source_config, snt_clock_source_config_init, epoch, read_snt_clock_source)                   \
    X(snt_imu_buffer_config, snt_imu_buffer_config_init, epoch, read_snt_imu_buffer)                         \
    X(snt_tf_buffer_config, snt_tf_buffer_config_init, notify_user, read_snt_tf_buffer)                      \
    X(snt_tf_question, snt_tf_question_init, flags, read_question)                                           \
    X(snt_tf_edge_config, snt_tf_edge_config_init, reserved, read_edge)                                      \
    X(snt_deskew_config, snt_deskew_config_init, range_m, read_snt_deskew)                                   \
    X(snt_deskew_scan, snt_deskew_scan_init, T_body_sensor, read_scan)                                       \
    X(snt_deskew_times, snt_deskew_times_init, azimuth_start, read_times)                                    \
    X(snt_deskew_options, snt_deskew_options_init, times, read_options)                                      \
    X(snt_laser_scan, snt_laser_scan_init, range_max, read_laser)                                            \
    X(snt_device_clock_config, snt_device_clock_config_init, epoch, read_snt_device_clock)                   \
    X(snt_message_cache_config, snt_message_cache_config_init, epoch, read_snt_message_cache)                \
    X(snt_time_sequencer_config, snt_time_sequencer_config_init, epoch, read_snt_time_sequencer)             \
    X(snt_message_filter_config, snt_message_filter_config_init, epoch, read_snt_message_filter)             \
    X(snt_layout_options, snt_layout_options_init, reserved, read_layout)                                    \
    X(snt_scan_auditor_config, snt_scan_auditor_config_init, interval_factor, read_snt_scan_auditor)         \
    X(snt_tick_unwrapper_config, snt_tick_unwrapper_config_init, reorder_ticks, read_snt_tick_unwrapper)     \
    X(snt_sync_config, snt_synchronizer_config_init, epoch, read_snt_synchronizer)                           \
    X(snt_stream_monitor_config, snt_stream_monitor_config_init, reserved, read_snt_stream_monitor)

#define MAKE_INIT(type, init, last, reader) INIT(type, init)
SIZED(MAKE_INIT)

static const struct sized {
    const char *name;
    size_t size, v1;
    void (*init)(void *out, size_t size);
    snt_status (*read)(const void *given);
} sized[] = {
#define ROW(type, init, last, reader) {#type, sizeof(type), SNT_END_OF(type, last), init_##type, reader},
    SIZED(ROW)};

/* Exactly `size` bytes, so that a sanitizer sees any access behind them. */
static unsigned char *filled(const struct sized *s, size_t size)
{
    unsigned char *bytes = malloc(size < 4 ? 4 : size);
    assert_non_null(bytes);
    memset(bytes, 0xa5, size < 4 ? 4 : size);
    s->init(bytes, size);
    if (s->read == read_times && size >= sizeof(snt_deskew_times)) /* an empty table is none */
        ((snt_deskew_times *)(void *)bytes)->kind = SNT_DESKEW_TIMES_AZIMUTH;
    return bytes;
}

static void expect(const struct sized *s, const void *given, size_t size, snt_status expected)
{
    const snt_status status = s->read(given);
    if (status != expected)
        fail_msg("%s of %zu bytes: %s, expected %s", s->name, size, snt_status_name(status),
                 snt_status_name(expected));
}

static void an_init_writes_the_callers_size_and_no_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < SNT_COUNT_OF(sized); i++) {
        const struct sized *s = &sized[i];
        unsigned char *whole = malloc(s->size);
        s->init(whole, s->size);
        for (size_t size = 0; size <= s->size + TAIL; size++) {
            unsigned char *bytes = malloc(size + 8);
            memset(bytes, 0xa5, size + 8);
            s->init(bytes, size);
            for (size_t k = size < 4 ? 0 : size; k < size + 8; k++)
                if (bytes[k] != 0xa5)
                    fail_msg("%s: byte %zu was written of %zu", s->name, k, size);
            for (size_t k = 4; size >= 4 && k < size; k++)
                if (bytes[k] != (k < s->size ? whole[k] : 0))
                    fail_msg("%s: byte %zu of %zu is no default", s->name, k, size);
            uint32_t told = 0;
            memcpy(&told, bytes, size < 4 ? 0 : 4);
            assert_int_equal(told, size < 4 ? 0 : size);
            free(bytes);
        }
        s->init(NULL, s->size);
        free(whole);
    }
}

static void defaults_and_no_struct_at_all_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < SNT_COUNT_OF(sized); i++) {
        unsigned char *bytes = filled(&sized[i], sized[i].size);
        expect(&sized[i], bytes, sized[i].size, SNT_OK);
        free(bytes);
    }
}

static void a_struct_of_an_older_release_is_read_and_a_shorter_one_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < SNT_COUNT_OF(sized); i++)
        for (size_t size = 0; size <= sized[i].size; size++) {
            unsigned char *bytes = filled(&sized[i], size);
            const uint32_t told = (uint32_t)size;
            memcpy(bytes, &told, sizeof told);
            expect(&sized[i], bytes, size, size < sized[i].v1 ? SNT_ERR_INVALID_ARG : SNT_OK);
            free(bytes);
        }
}

static void a_struct_of_a_newer_release_is_read_if_what_is_new_is_unused(void **state)
{
    (void)state;
    for (size_t i = 0; i < SNT_COUNT_OF(sized); i++) {
        const struct sized *s = &sized[i];
        for (size_t size = s->size + 1; size <= s->size + TAIL; size++) {
            unsigned char *bytes = filled(s, size);
            expect(s, bytes, size, SNT_OK);
            for (size_t k = s->size; k < size; k++) {
                bytes[k] = 1;
                expect(s, bytes, size, SNT_ERR_INVALID_ARG);
                bytes[k] = 0;
            }
            free(bytes);
        }
    }
}

static void a_size_that_was_never_set_is_not_believed(void **state)
{
    (void)state;
    for (size_t i = 0; i < SNT_COUNT_OF(sized); i++) {
        unsigned char *bytes = filled(&sized[i], LONGEST);
        expect(&sized[i], bytes, LONGEST, SNT_OK);
        const uint32_t wild[] = {LONGEST + 1, 0xa5a5a5a5, UINT32_MAX};
        for (size_t k = 0; k < SNT_COUNT_OF(wild); k++) {
            memcpy(bytes, &wild[k], sizeof wild[k]);
            expect(&sized[i], bytes, wild[k], SNT_ERR_INVALID_ARG);
        }
        free(bytes);
    }
}

/* The inputs of a synchronizer are an array: its elements have the size that the caller says. */
static void the_inputs_of_a_synchronizer_may_be_longer_too(void **state)
{
    (void)state;
    enum { V1 = 56 };
    snt_sync_config cfg;
    snt_synchronizer_config_init(&cfg, sizeof cfg);
    cfg.input_count = 3;
    for (uint32_t size = V1 - 8; size <= V1 + TAIL; size += 8) {
        unsigned char *bytes = calloc(3, size);
        const uint32_t role = SNT_ROLE_OPTIONAL;
        memcpy(bytes + 2 * size, &role, sizeof role);
        cfg.inputs = (const snt_sync_input_config *)(const void *)bytes;
        cfg.input_size = size;
        assert_status(read_snt_synchronizer(&cfg), size < V1 ? SNT_ERR_INVALID_ARG : SNT_OK);
        for (uint32_t k = V1; k < size; k++) {
            bytes[size + k] = 1;
            assert_status(read_snt_synchronizer(&cfg), SNT_ERR_INVALID_ARG);
            bytes[size + k] = 0;
        }
        free(bytes);
    }
    snt_sync_input_config inputs[3] = {{0}};
    cfg.inputs = inputs;
    cfg.input_size = 0; /* the size of release 1.0 for ever */
    assert_status(read_snt_synchronizer(&cfg), SNT_OK);
}

/* tests/abi/layout.json has one line a struct. */
static void no_struct_with_a_size_was_forgotten(void **state)
{
    (void)state;
    const char *root = getenv("SNT_SOURCE_ROOT");
    char line[4096], name[64];
    snprintf(line, sizeof line, "%s/tests/abi/layout.json", root ? root : ".");
    FILE *file = fopen(line, "r");
    assert_non_null(file);
    size_t found = 0;
    while (fgets(line, sizeof line, file)) {
        if (!strstr(line, "\"fields\": {\"struct_size\": [0, 4]") ||
            sscanf(line, " \"%63[a-z_0-9]\"", name) != 1)
            continue;
        bool known = false;
        for (size_t i = 0; i < SNT_COUNT_OF(sized); i++)
            known = known || strcmp(sized[i].name, name) == 0;
        if (!known)
            fail_msg("%s is not tested here", name);
        found++;
    }
    fclose(file);
    assert_true(found >= SNT_COUNT_OF(sized));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_init_writes_the_callers_size_and_no_more),
        cmocka_unit_test(defaults_and_no_struct_at_all_are_the_same),
        cmocka_unit_test(a_struct_of_an_older_release_is_read_and_a_shorter_one_refused),
        cmocka_unit_test(a_struct_of_a_newer_release_is_read_if_what_is_new_is_unused),
        cmocka_unit_test(a_size_that_was_never_set_is_not_believed),
        cmocka_unit_test(the_inputs_of_a_synchronizer_may_be_longer_too),
        cmocka_unit_test(no_struct_with_a_size_was_forgotten),
    };
    return cmocka_run_group_tests_name("struct_size", tests, open_all, close_all);
}
