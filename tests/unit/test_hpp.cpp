// SPDX-License-Identifier: BSD-3-Clause
// The C++ layer: payloads come back once, callbacks may re-enter, waits end, nothing is leaked.
#include "sensortime/sensortime.hpp"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;

namespace
{
int number, failures;
std::atomic<int> alive{0};

void ok(bool good, const char *what)
{
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
    failures += !good;
}

struct payload {
    int id;
    explicit payload(int i) : id(i)
    {
        alive++;
    }
    ~payload()
    {
        alive--;
    }
};
using pointer = std::shared_ptr<const payload>;

pointer make(int id)
{
    return std::make_shared<const payload>(id);
}

snt_pose pose_at(double x)
{
    return {{0, 0, 0, 1}, {x, 0, 0}};
}

constexpr snt_time ms = SNT_NS_PER_MS;

void filter_releases_payloads_with_their_transforms()
{
    snt::tf_buffer tf;
    snt::filter_options options;
    options.wait_timeout = 200ms;
    snt::message_filter<pointer> clouds(tf, "odom", options);
    clouds.add(snt::sample_at(1000 * ms, 0), "lidar", make(1), 0);
    ok(clouds.drain(snt_time{0}).empty(), "a payload without transform waits");
    tf.insert("odom", "lidar", 1000 * ms, pose_at(7));
    auto got = clouds.drain(snt_time{0});
    ok(got.size() == 1 && got[0].payload->id == 1 && std::fabs(got[0].pose().t[0] - 7) < 1e-12,
       "the buffer's hook releases it, with its pose");
    clouds.add(snt::sample_at(2000 * ms, 0), "lidar", make(2), 0);
    ok(clouds.drain(300 * ms).empty(), "nothing is released at the timeout");
    const auto drops = clouds.drops();
    ok(drops.size() == 1 && drops[0].payload->id == 2 && drops[0].info.reason == SNT_DROP_TIMEOUT &&
           drops[0].text.find("lidar") != std::string::npos,
       "it comes back with its reason in words");
    got.clear();
}

void callbacks_may_add_to_the_same_object()
{
    snt::tf_buffer tf;
    snt::message_filter<pointer> filter(tf, "odom");
    filter.add(snt::sample_at(1, 0), "odom", make(1));
    int seen = 0;
    filter.drain([&](snt::released<pointer> &one) {
        seen += one.payload->id;
        if (one.payload->id == 1)
            filter.add(snt::sample_at(2, 0), "odom", make(2));
    });
    filter.drain([&](snt::released<pointer> &one) { seen += one.payload->id; });
    ok(seen == 3, "a callback adds to the filter that called it");
}

// ros_comm #2052, message_filters #169: after a callback that throws nothing works any more.
void a_callback_that_throws_loses_nothing_else()
{
    snt::tf_buffer tf;
    snt::message_filter<pointer> filter(tf, "odom");
    snt::sync_options options;
    options.policy = SNT_SYNC_EXACT;
    snt::synchronizer<pointer, pointer> pairs(options);
    for (int i = 1; i <= 3; i++) {
        filter.add(snt::sample_at(i, 0), "odom", make(i));
        pairs.add<0>(snt::sample_at(i), make(i));
        pairs.add<1>(snt::sample_at(i), make(i));
    }
    int thrown = 0, seen = 0;
    const auto fail = [](auto &) { throw std::runtime_error("as users' code does"); };
    for (int side = 0; side < 2; side++) {
        try {
            side ? pairs.drain(fail) : filter.drain(fail);
        } catch (const std::runtime_error &) {
            thrown++;
        }
    }
    ok(filter.wait(1ms) && pairs.wait(1ms), "and a wait knows of it");
    const size_t rest = filter.drain([&](snt::released<pointer> &one) { seen += one.payload->id; }) +
                        pairs.drain([&](auto &one) { seen += std::get<0>(one)->id; });
    ok(thrown == 2 && rest == 4 && seen == 2 * (2 + 3),
       "what stood behind a callback that threw comes next time");
}

// What a payload does at its end may call the object that had kept it.
void payloads_end_with_no_lock_held()
{
    using owner = std::shared_ptr<int>;
    snt::sync_options options;
    options.policy = SNT_SYNC_EXACT;
    options.queue = 1;
    int ended = 0;
    bool open = true; // what is kept still ends with the synchronizer, which can then not be asked
    snt::synchronizer<owner, owner> pairs(options);
    const auto calling = [&] {
        return owner(new int(0), [&](int *p) {
            delete p;
            ended++;
            if (open)
                pairs.drops();
        });
    };
    for (int i = 1; i <= 3; i++)
        pairs.add<0>(snt::sample_at(i), calling());
    const size_t dropped = pairs.drops().size();
    pairs.add<0>(snt::sample_at(9, SNT_DOMAIN_UNIX + 1), calling());
    snt_sample bad = snt::sample_at(9);
    bad.t1_ns = 0;
    snt_status status = SNT_OK;
    pairs.add_poll<0>(bad, calling(), 0, &status);
    ok(dropped == 2 && status == SNT_ERR_INVALID_ARG && ended >= 3, "payloads end with no lock held");
    open = false;
}

void a_wait_ends_when_the_transform_comes()
{
    snt::tf_buffer tf;
    snt::message_filter<pointer> filter(tf, "odom");
    filter.add(snt::sample_at(1000, 0), "base", make(1));
    ok(!filter.wait(1ms), "a wait ends by its timeout");
    std::thread publisher([&] {
        std::this_thread::sleep_for(5ms);
        tf.insert("odom", "base", 1000, pose_at(0));
    });
    const bool woken = filter.wait(10s);
    publisher.join();
    ok(woken && filter.drain().size() == 1, "a wait ends when another thread inserts the transform");
}

void sets_are_tuples_of_payloads()
{
    snt::sync_options options;
    options.policy = SNT_SYNC_EXACT;
    snt::synchronizer<pointer, std::shared_ptr<const std::string>> pairs(options);
    pairs.add<0>(snt::sample_at(10), make(1));
    pairs.add<1>(snt::sample_at(10), std::make_shared<const std::string>("ten"));
    pairs.add<0>(snt::sample_at(20), make(2));
    pairs.add<0>(snt::sample_at(30), make(3));
    pairs.add<1>(snt::sample_at(30), std::make_shared<const std::string>("thirty"));
    int sum = 0;
    std::string words;
    for (auto &[cloud, name] : pairs.drain()) {
        sum += cloud->id;
        words += *name;
    }
    ok(sum == 4 && words == "tenthirty", "structured bindings over sets");
    const auto drops = pairs.drops();
    ok(drops.size() == 1 && drops[0].info.reason == SNT_DROP_NO_PARTNER,
       "and the one between is accounted for");
}

void an_add_can_take_the_set_that_it_completes()
{
    snt::sync_options options;
    options.policy = SNT_SYNC_EXACT;
    options.queue = 1;
    snt::synchronizer<pointer, pointer> pairs(options);
    snt_status status = SNT_OK;
    ok(!pairs.add_poll<0>(snt::sample_at(10), make(1), 0, &status) && status == SNT_PENDING, "no set yet");
    const auto set = pairs.add_poll<1>(snt::sample_at(10), make(2), 0, &status);
    ok(set && std::get<0>(*set)->id == 1 && std::get<1>(*set)->id == 2 && status == SNT_OK,
       "the set comes with the add");
    pairs.add_poll<0>(snt::sample_at(20), make(3), 0);
    pairs.add_poll<0>(snt::sample_at(30), make(4), 0);
    ok(pairs.wait(std::chrono::nanoseconds(0)) && pairs.drops().size() == 1, "drops ring");
}

void an_interpolated_payload_comes_as_a_pair()
{
    snt::sync_options options;
    options.inputs.resize(2);
    options.inputs[1].role = SNT_ROLE_INTERPOLATED;
    snt::synchronizer<pointer, std::shared_ptr<const double>> both(options);
    both.add<1>(snt::sample_at(0), std::make_shared<const double>(1.0));
    both.add<1>(snt::sample_at(100), std::make_shared<const double>(3.0));
    both.add<0>(snt::sample_at(25), make(1));
    auto sets = both.drain();
    ok(sets.size() == 1 && sets[0].has(1), "the pair is there");
    if (sets.size() == 1) {
        const double before = *std::get<1>(sets[0]), after = *std::get<1>(sets[0].after);
        ok(std::fabs(before + (after - before) * sets[0].weight(1) - 1.5) < 1e-12, "and interpolates to 1.5");
    } else
        ok(false, "and interpolates to 1.5");
}

void partial_sets_have_empty_payloads()
{
    snt::sync_options options;
    options.max_separation = 10ms;
    options.deadline = 50ms;
    options.min_members = 1;
    snt::synchronizer<pointer, pointer> pairs(options);
    pairs.add<0>(snt::sample_at(1000 * ms), make(1), 0);
    auto sets = pairs.drain(snt_time{60 * ms});
    ok(sets.size() == 1 && std::get<0>(sets[0]) && !std::get<1>(sets[0]) &&
           (sets[0].info.flags & SNT_SYNC_PARTIAL),
       "a partial set after its deadline");
}

void bad_settings_throw()
{
    bool thrown = false;
    try {
        snt::sync_options options;
        options.policy = SNT_SYNC_EPSILON;
        snt::synchronizer<pointer, pointer> pairs(options);
    } catch (const snt::error &e) {
        thrown = e.status == SNT_ERR_INVALID_ARG;
    }
    ok(thrown, "epsilon without max_separation throws");
}
} // namespace

int main()
{
    std::printf("1..20\n");
    filter_releases_payloads_with_their_transforms();
    callbacks_may_add_to_the_same_object();
    a_callback_that_throws_loses_nothing_else();
    payloads_end_with_no_lock_held();
    a_wait_ends_when_the_transform_comes();
    sets_are_tuples_of_payloads();
    an_add_can_take_the_set_that_it_completes();
    an_interpolated_payload_comes_as_a_pair();
    partial_sets_have_empty_payloads();
    bad_settings_throw();
    ok(alive == 0, "no payload is left");
    if (number != 20)
        std::printf("not ok - planned 20, ran %d\n", number);
    return failures || number != 20;
}
