// SPDX-License-Identifier: BSD-3-Clause
// A node that uses the library, and beside it what tf2_ros and message_filters make of the same messages. Prints TAP.
//
// The lidar's clock is mapped by pings and arrivals; each scan becomes a sweep on the host's clock with a bound, waits
// for its transforms, is matched with the image of its middle, deskewed to its end and held against the world.
#include "scenario.h"

#include <sensortime/sensortime_ros.hpp>

#include <cstdarg>
#include <map>
#include <set>

#include <message_filters/sync_policies/approximate_time.h>
#include <message_filters/synchronizer.h>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/PointCloud2.h>
#include <std_msgs/Header.h>
#include <tf2_msgs/TFMessage.h>
#include <tf2_ros/message_filter.h>
#include <tf2_ros/transform_listener.h>

namespace
{
using namespace scenario;
using namespace std::chrono_literals;
using cloud_ptr = sensor_msgs::PointCloud2::ConstPtr;
using image_ptr = sensor_msgs::Image::ConstPtr;

int number, failures;

__attribute__((format(printf, 2, 3))) void ok(bool good, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::printf("%s %d - ", good ? "ok" : "not ok", ++number);
    std::vprintf(format, arguments);
    std::printf("\n");
    va_end(arguments);
    failures += !good;
}

snt_time host_now()
{
    return snt::ros::stamp(ros::Time::now());
}

uint64_t device_ticks(snt_time device)
{
    return static_cast<uint64_t>(device / 1000) & UINT32_MAX; // the counter: 32 bits of microseconds
}

int scan_number(snt_time device)
{
    return static_cast<int>((device - device_boot + period / 2) / period);
}

snt_device_clock *make_clock()
{
    snt_device_clock_config config;
    snt_device_clock_config_init(&config, sizeof config);
    config.tick_num_ns = 1000;
    config.counter_bits = 32;
    config.rate_bound_ppb = 1000000; // ±1000 ppm: all that is declared of this clock
    config.host_domain = SNT_DOMAIN_UNIX;
    config.event = SNT_EVENT_SWEEP;
    snt_device_clock *out = nullptr;
    snt::check(snt_device_clock_create(&config, nullptr, &out), "device clock");
    return out;
}

snt::tf_buffer make_buffer()
{
    auto config = snt::tf_buffer::defaults();
    config.max_gap_ns = 200 * ms; // ten missing samples in a row are no motion that one may guess
    return snt::tf_buffer(config);
}

snt::filter_options patient()
{
    snt::filter_options options;
    options.capacity = 60;
    options.wait_timeout = 3s; // this machine may be busy
    return options;
}

snt::sync_options by_the_middle()
{
    snt::sync_options options;
    options.queue = 60;
    options.max_separation = 20ms;
    options.inputs.resize(2);
    options.inputs[0].match = SNT_MATCH_MIDDLE; // of the sweep
    return options;
}

class listener
{
  public:
    explicit listener(ros::NodeHandle &handle)
        : node(handle), clock(make_clock()), tf(make_buffer()), filter(tf, "odom", patient()),
          rear_filter(tf, "odom", patient()), pairs(by_the_middle()), peer_listener(peer_tf, false),
          peer_filter(peer_tf, "odom", 60, nullptr), peer_raw(peer_tf, "odom", 60, nullptr),
          peer_rear(peer_tf, "odom", 60, nullptr), peer_sync(peer_policy(60))
    {
        snt_deskew_create(nullptr, nullptr, &plan);
        snt_tf_buffer_path(tf.get(), "odom", "lidar", &path);
        // [peers]
        peer_policy *policy = static_cast<peer_policy *>(peer_sync.getPolicy());
        policy->setMaxIntervalDuration(ros::Duration(0.060));
        peer_sync.registerCallback(
            boost::bind(&listener::peer_pair, this, boost::placeholders::_1, boost::placeholders::_2));
        peer_filter.registerCallback(
            [this](const cloud_ptr &m) { peer_released.insert(index[m->header.stamp.toNSec()]); });
        peer_raw.registerCallback([this](const cloud_ptr &) { peer_raw_released++; });
        peer_rear.registerCallback([this](const cloud_ptr &) { peer_rear_released++; });
        const auto failed = [this](const cloud_ptr &, tf2_ros::FilterFailureReason why) {
            peer_reasons[why]++;
        };
        peer_rear.registerFailureCallback(failed);
        // [peers]
    }

    ~listener()
    {
        snt_tf_path_destroy(path);
        snt_deskew_destroy(plan);
        snt_device_clock_destroy(clock);
    }

    void subscribe()
    {
        ping = node.advertise<std_msgs::Header>("/lidar/ping", 200);
        const ros::TransportHints quick = ros::TransportHints().tcpNoDelay();
        subscribers.push_back(node.subscribe("/start", 1, &listener::on_start, this));
        subscribers.push_back(node.subscribe("/tf", 1000, &listener::on_tf, this));
        subscribers.push_back(node.subscribe("/tf_static", 10, &listener::on_tf_static, this));
        subscribers.push_back(node.subscribe("/points", 200, &listener::on_points, this, quick));
        subscribers.push_back(node.subscribe("/points_rear", 200, &listener::on_rear, this));
        subscribers.push_back(node.subscribe("/image", 200, &listener::on_image, this));
        subscribers.push_back(node.subscribe("/lidar/pong", 200, &listener::on_pong, this, quick));
    }

    bool finished() const
    {
        return scans_in == scans && images_in + images_missing() == images && rear_in == unmounted + 2 &&
               tf_in >= tf_samples;
    }

    void work()
    {
        if (start && host_now() - last_ping > 50 * ms) {
            last_ping = host_now();
            std_msgs::Header question;
            uint32_t id = 0;
            snt_device_clock_request(clock, 0, last_ping, &id);
            question.frame_id = std::to_string(id);
            ping.publish(question);
        }
        for (auto &one : filter.drain())
            on_released(one);
        if (layout.status == SNT_OK) {
            for (const auto &one : to_deskew)
                deskew(one);
            to_deskew.clear();
        }
        for (auto &one : filter.drops())
            dropped[scan_number(snt::ros::stamp(*one.payload))] = one;
        rear_released += rear_filter.drain().size();
        for (auto &one : rear_filter.drops())
            rear_dropped.push_back(std::move(one));
        for (auto &[cloud, image] : pairs.drain())
            matched[scan_number(snt::ros::stamp(*cloud))] = static_cast<int>(image->width);
        for (auto &one : pairs.drops())
            unmatched[one.info.input][one.info.reason]++;
    }

    void report();

    snt_time start = 0;

  private:
    using peer_policy =
        message_filters::sync_policies::ApproximateTime<sensor_msgs::PointCloud2, sensor_msgs::Image>;

    static int images_missing()
    {
        int missing = 0;
        for (int j = 0; j < images; j++)
            missing += image_lost(j);
        return missing;
    }

    void on_start(const std_msgs::Header::ConstPtr &m)
    {
        start = snt::ros::stamp(*m);
    }

    void on_tf(const tf2_msgs::TFMessage::ConstPtr &m)
    {
        tf_in = static_cast<int>((snt::ros::stamp(m->transforms[0]) - start + tf_period / 2) / tf_period) + 1;
        tf_refused += snt::ros::insert(tf, *m) < 0;
    }

    void on_tf_static(const tf2_msgs::TFMessage::ConstPtr &m)
    {
        tf_refused += snt::ros::insert(tf, *m, true) < 0;
    }

    void on_pong(const std_msgs::Header::ConstPtr &m)
    {
        const uint64_t ticks = device_ticks(snt::ros::stamp(*m));
        exchanges += snt_device_clock_reply(clock, 0, static_cast<uint32_t>(std::stoul(m->frame_id)), ticks,
                                            ticks, host_now(), nullptr) == SNT_OK;
    }

    void on_points(const cloud_ptr &m)
    {
        const snt_time receive = host_now(), device = snt::ros::stamp(*m);
        scans_in++;
        if (layout.status != SNT_OK) { // the second scan tells the period
            first_scans.push_back(m);
            if (first_scans.size() > 1)
                layout = snt::ros::detect_layout(first_scans);
        }
        peer_raw.add(m); // what a node without a mapping does
        const uint64_t first = device_ticks(device), last = device_ticks(device + sweep);
        const uint32_t session = snt_device_clock_session(clock);
        violations +=
            snt_device_clock_observe_arrival(clock, session, last, receive, nullptr) == SNT_ERR_VIOLATION;
        snt_sample sample;
        const snt_status status =
            snt_device_clock_stamp_interval(clock, session, first, last, receive, 0, &sample);
        if (status != SNT_OK) {
            unstamped[status]++;
            first_stamped = scan_number(device) + 1;
            return;
        }
        judge(sample, device, receive);
        filter.add(sample, m->header.frame_id, m);
        // the same scan for tf2_ros, its header set to the mapped time: tf2 knows but one stamp of a message
        const auto copy = boost::make_shared<sensor_msgs::PointCloud2>(*m);
        snt::ros::set_stamp(copy->header.stamp, sample.t0_ns);
        index[copy->header.stamp.toNSec()] = scan_number(device);
        peer_filter.add(cloud_ptr(copy));
        peer_sync.add<0>(ros::MessageEvent<sensor_msgs::PointCloud2 const>(copy));
    }

    /* The truth is known here: it must lie within the bound. */
    void judge(const snt_sample &sample, snt_time device, snt_time receive)
    {
        const snt_time truth[2] = {start + host_of_device(device), start + host_of_device(device + sweep)};
        const snt_time mapped[2] = {sample.t0_ns, sample.t1_ns};
        const bool both = (sample.flags & SNT_TIME_BOUND_LO) && (sample.flags & SNT_TIME_BOUND_HI);
        for (int i = 0; i < 2; i++) {
            outside +=
                !both || truth[i] < mapped[i] - sample.err_lo_ns || truth[i] > mapped[i] + sample.err_hi_ns;
            worst_error = std::max<int64_t>(worst_error, std::llabs(mapped[i] - truth[i]));
        }
        last_width = sample.err_lo_ns + sample.err_hi_ns;
        worst_arrival = std::max<int64_t>(worst_arrival, receive - truth[1]);
    }

    void on_rear(const cloud_ptr &m)
    {
        rear_in++;
        rear_filter.add(snt::ros::sample(*m), m->header.frame_id, m);
        peer_rear.add(m);
    }

    void on_image(const image_ptr &m)
    {
        images_in++;
        snt::ros::origin camera;
        camera.event = SNT_EVENT_EXPOSURE_MID;
        pairs.add<1>(snt::ros::sample(*m, camera), m);
        peer_sync.add<1>(ros::MessageEvent<sensor_msgs::Image const>(m));
    }

    void on_released(snt::released<cloud_ptr> &one)
    {
        const int k = scan_number(snt::ros::stamp(*one.payload));
        released.insert(k);
        longest_wait = std::max(longest_wait, one.info.waited_ns);
        pairs.add<0>(one.sample, one.payload);
        to_deskew.push_back(one);
    }

    void deskew(const snt::released<cloud_ptr> &one)
    {
        snt_cloud in, out;
        if (snt::ros::cloud(*one.payload, layout.layout, &in) != SNT_OK)
            return;
        std::vector<uint8_t> result(one.payload->data); // the message stays as it came
        out = in;
        in.time_base_ns = out.time_base_ns =
            one.sample.t0_ns; // the point times count from the mapped first point
        in.domain = out.domain = SNT_DOMAIN_UNSPECIFIED;
        for (snt_field *field : {&out.x, &out.y, &out.z})
            field->data = result.data() + (static_cast<uint8_t *>(field->data) - one.payload->data.data());
        snt_deskew_scan scan;
        snt_deskew_scan_init(&scan, sizeof scan);
        scan.reference = SNT_REF_END;
        scan.max_acceleration = speed * turn * 1.1 + turn * turn;
        scan.max_angular_acceleration = 0.001;
        // the clock's bound, and the rate of the device within a sweep
        scan.clock_bound_ns = std::max(one.sample.err_lo_ns, one.sample.err_hi_ns) + sweep / 1000;
        snt_deskew_bound bound;
        snt_deskew_report done;
        if (snt_deskew_scan_from_cloud(&in, nullptr, 0, &scan, nullptr) != SNT_OK ||
            snt_deskew_plan_path(plan, &scan, path, 0, 0) != SNT_OK ||
            snt_deskew_apply(plan, &in, &out, &done) != SNT_OK ||
            snt_deskew_get_bound(plan, &in, 14, &bound) != SNT_OK)
            return;
        snt_tf_result end;
        if (snt_tf_path_lookup(path, done.reference_ns, &end, nullptr) != SNT_OK)
            return;
        const double after = farthest(result, end.pose), before = farthest(one.payload->data, end.pose);
        deskewed++;
        beyond_bound += after > bound.total_m + 0.001;
        unmoved += done.moved != points;
        worst_after = std::max(worst_after, after);
        worst_before = std::max(worst_before, before);
        worst_bound = std::max(worst_bound, bound.total_m);
    }

    /* Greatest distance between where the points are and what they hit [m]. */
    static double farthest(const std::vector<uint8_t> &data, const snt_pose &odom_lidar)
    {
        double worst = 0;
        for (int i = 0; i < points; i++) {
            float p[3], q[3];
            std::memcpy(p, &data[16 * static_cast<size_t>(i)], 12);
            snt_pose_apply_points_f32(&odom_lidar, p, 0, q, 0, 1);
            const spot world = landmark(i);
            worst = std::max(worst, std::hypot(q[0] - world.x, q[1] - world.y, q[2] - world.z));
        }
        return worst;
    }

    void peer_pair(const cloud_ptr &cloud, const image_ptr &image)
    {
        peer_pairs++;
        peer_right += index[cloud->header.stamp.toNSec()] == static_cast<int>(image->width);
    }

    ros::NodeHandle &node;
    ros::Publisher ping;
    std::vector<ros::Subscriber> subscribers;
    snt_device_clock *clock;
    snt::tf_buffer tf;
    snt::message_filter<cloud_ptr> filter, rear_filter;
    snt::synchronizer<cloud_ptr, image_ptr> pairs;
    snt_deskew *plan = nullptr;
    snt_tf_path *path = nullptr;
    snt::ros::detected layout;
    std::vector<cloud_ptr> first_scans;
    std::vector<snt::released<cloud_ptr>> to_deskew;

    snt_time last_ping = 0;
    int scans_in = 0, images_in = 0, rear_in = 0, tf_in = 0, tf_refused = 0, exchanges = 0, violations = 0;
    int first_stamped = 0, outside = 0, deskewed = 0, unmoved = 0, beyond_bound = 0;
    size_t rear_released = 0;
    int64_t worst_error = 0, last_width = 0, worst_arrival = 0, longest_wait = 0;
    double worst_after = 0, worst_before = 0, worst_bound = 0;
    std::map<snt_status, int> unstamped;
    std::set<int> released;
    std::map<int, snt::filter_dropped<cloud_ptr>> dropped;
    std::vector<snt::filter_dropped<cloud_ptr>> rear_dropped;
    std::map<int, int> matched;
    std::map<uint32_t, int> unmatched[2];

    std::map<uint64_t, int> index; // which scan has this mapped stamp
    tf2_ros::Buffer peer_tf;
    tf2_ros::TransformListener peer_listener;
    tf2_ros::MessageFilter<sensor_msgs::PointCloud2> peer_filter, peer_raw, peer_rear;
    message_filters::Synchronizer<peer_policy> peer_sync;
    std::set<int> peer_released;
    std::map<tf2_ros::FilterFailureReason, int> peer_reasons;
    int peer_raw_released = 0, peer_rear_released = 0, peer_pairs = 0, peer_right = 0;
};

void listener::report()
{
    /* what ought to have happened, from the scenario alone */
    std::set<int> due, due_pairs;
    for (int k = first_stamped; k < scans; k++)
        if (!in_silence(k))
            due.insert(k);
    for (int k : due)
        if (!image_lost(k))
            due_pairs.insert(k);

    ok(tf_refused == 0, "every transform is taken");
    ok(layout.status == SNT_OK && layout.layout.time_unit == SNT_TIME_UNIT_NS &&
           layout.layout.header_role == SNT_HEADER_ROLE_START,
       "the layout is found: field '%s', %s, header is %s", layout.report.time_name,
       snt_time_unit_name(layout.layout.time_unit), snt_header_role_name(layout.layout.header_role));

    ok(exchanges > 20 && violations == 0, "%d pings answered, no contradiction", exchanges);
    ok(first_stamped <= 8 && unstamped.size() <= 1 && unstamped[SNT_PENDING] == first_stamped,
       "the first %d scans have no time while the clock warms up, all others have one", first_stamped);
    ok(outside == 0, "the truth is within the bound of every scan");
    ok(worst_error < 20 * ms && last_width < 10 * ms,
       "a clock 500 ppm fast: worst error %.3f ms, bound at the end %.3f ms wide; stamped on arrival: up to "
       "%.3f ms late",
       static_cast<double>(worst_error) * 1e-6, static_cast<double>(last_width) * 1e-6,
       static_cast<double>(worst_arrival) * 1e-6);

    ok(released == due, "%zu of %d scans are released, just those that ought to be", released.size(), scans);
    int gaps = 0;
    for (const auto &[k, drop] : dropped)
        gaps += in_silence(k) && drop.info.miss.reason == SNT_TF_MISS_GAP;
    ok(dropped.size() == 10 && gaps == 10, "%zu scans fall into the silence of 0.9 s, each with its gap: %s",
       dropped.size(), dropped.empty() ? "" : dropped.begin()->second.text.c_str());
    ok(longest_wait > 0, "released scans waited up to %.0f ms for transforms",
       static_cast<double>(longest_wait) * 1e-6);

    std::map<uint32_t, int> reasons, causes;
    for (const auto &drop : rear_dropped) {
        reasons[drop.info.reason]++;
        causes[drop.info.cause]++;
    }
    ok(rear_released == 0 && rear_dropped.size() == unmounted + 2u && reasons[SNT_DROP_EMPTY_FRAME] == 1 &&
           reasons[SNT_DROP_TOO_OLD] == 1 &&
           reasons[SNT_DROP_TIMEOUT] + reasons[SNT_DROP_NO_FRAME] + reasons[SNT_DROP_NOT_CONNECTED] ==
               unmounted,
       "a lidar that nobody mounted: %d without transform, 1 without frame, 1 too old, 0 released",
       unmounted);
    for (const auto &[reason, count] : reasons)
        std::printf("#   %s: %d\n", snt_drop_reason_name(reason), count);
    for (const auto &drop : rear_dropped)
        if (drop.info.reason == SNT_DROP_TIMEOUT) {
            std::printf("#   such as: %s\n", drop.text.c_str());
            break;
        }
    const snt_filter_stats all = filter.stats(), rear = rear_filter.stats();
    ok(all.in == all.out + dropped.size() && all.held == 0 && rear.held == 0 &&
           snt_message_filter_check(filter.get()) == SNT_OK,
       "each message was released once or explained once");

    std::set<int> pairs_found;
    int wrong = 0;
    for (const auto &[k, j] : matched) {
        pairs_found.insert(k);
        wrong += k != j;
    }
    std::set<int> lacking;
    for (int k : due_pairs)
        if (!pairs_found.count(k))
            lacking.insert(k);
    // the last ones wait for what may still come
    ok(wrong == 0 && pairs_found.size() + lacking.size() == due_pairs.size() &&
           (lacking.empty() || *lacking.begin() >= scans - 3),
       "%zu pairs, each of one moment (%d of other moments), of %zu that there are", pairs_found.size(),
       wrong, due_pairs.size());
    int alone[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (const auto &[reason, count] : unmatched[i]) {
            alone[i] += count;
            std::printf("#   %s: %d × %s\n", i ? "images" : "scans", count, snt_drop_reason_name(reason));
        }
    ok(alone[0] <= static_cast<int>(due.size() - pairs_found.size()) &&
           alone[0] >= static_cast<int>(due.size() - due_pairs.size()) - 3,
       "%d scans without an image are named", alone[0]);

    ok(deskewed == static_cast<int>(due.size()) && unmoved == 0, "%d scans deskewed", deskewed);
    ok(beyond_bound == 0,
       "all points within their bound: worst %.1f mm (bound %.1f mm), %.0f mm before deskewing",
       worst_after * 1e3, worst_bound * 1e3, worst_before * 1e3);
    ok(worst_after < worst_before / 4, "which is less than a quarter of what it was");

    /* the same messages through tf2_ros and message_filters */
    std::set<int> silently;
    for (int k : peer_released)
        if (in_silence(k))
            silently.insert(k);
    ok(peer_raw_released == 0, "tf2_ros::MessageFilter with the lidar's own stamps releases %d of %d",
       peer_raw_released, scans);
    std::set<int> peer_due = due;
    peer_due.insert(silently.begin(), silently.end());
    ok(peer_released == peer_due, "with mapped stamps it releases %zu: the same as here%s",
       peer_released.size(), silently.empty() ? "" : ", and those across the silence");
    std::printf("#   %zu scans it interpolates across the silence of 0.9 s without a word\n",
                silently.size());
    ok(peer_rear_released == 0,
       "tf2_ros names %d of the second lidar's %d (%d empty frame, %d out the back); the rest waits",
       peer_reasons[tf2_ros::filter_failure_reasons::EmptyFrameID] +
           peer_reasons[tf2_ros::filter_failure_reasons::OutTheBack],
       unmounted + 2, peer_reasons[tf2_ros::filter_failure_reasons::EmptyFrameID],
       peer_reasons[tf2_ros::filter_failure_reasons::OutTheBack]);
    ok(peer_pairs > 0,
       "message_filters ApproximateTime makes %d pairs by the header alone; %d of them of one moment",
       peer_pairs, peer_right);
}
} // namespace

int main(int argc, char **argv)
{
    ros::init(argc, argv, "listener");
    ros::NodeHandle node;
    listener all(node);
    all.subscribe();
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const ros::Time patience = ros::Time::now() + ros::Duration(50);
    ros::Time settled;
    while (ros::ok() && ros::Time::now() < patience) {
        ros::spinOnce();
        all.work();
        if (settled.isZero() && all.finished())
            settled = ros::Time::now() + ros::Duration(3.5); // the last timeouts
        if (!settled.isZero() && ros::Time::now() > settled)
            break;
        ros::WallDuration(0.0005).sleep();
    }
    if (settled.isZero())
        std::printf("# not everything came in time\n");
    all.report();
    std::printf("1..%d\n", number);
    return failures != 0;
}
