/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sensortime.hpp
 * The C++17 layer: a transform buffer, a message filter and a synchronizer that own their payloads.
 *
 * The C library moves tokens; here a token stands for a payload (a shared_ptr as a rule) that is kept from `add` until
 * it comes back in a set, a release or a drop. Nothing of the caller's runs while a lock is held (but the copying and moving
 * of payloads), so a callback may add to the object that calls it, and one that throws loses nothing but what it was given.
 * `wait` blocks until there is something to take.
 */
#ifndef SENSORTIME_HPP
#define SENSORTIME_HPP

#include "sensortime_handles.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace snt
{

namespace detail
{

/** Payloads by token. A token is a place; places are used again. */
template <class T> class store
{
  public:
    uint64_t put(T payload)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        uint64_t token;
        if (free_.empty()) {
            token = places_.size();
            places_.emplace_back();
        } else {
            token = free_.back();
            free_.pop_back();
        }
        places_[token].emplace(std::move(payload));
        return token;
    }

    T take(uint64_t token)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        T payload = std::move(*places_[token]);
        places_[token].reset();
        free_.push_back(token);
        return payload;
    }

    T copy(uint64_t token) const
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return *places_[token];
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::optional<T>> places_;
    std::vector<uint64_t> free_;
};

/** Wakes those who wait for something to take. */
class bell
{
  public:
    void ring()
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            rung_ = true;
        }
        condition_.notify_all();
    }

    bool wait(nanoseconds timeout)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        constexpr nanoseconds year = std::chrono::hours(24 * 365); // the clock's own sum must not overflow
        const bool rung =
            condition_.wait_for(lock, timeout < year ? timeout : year, [this] { return rung_; });
        rung_ = false;
        return rung;
    }

  private:
    std::mutex mutex_;
    std::condition_variable condition_;
    bool rung_ = false;
};

/** Gives what `next` has to `give`, one by one; rings where it threw and something stays behind. */
template <class Next, class Give> size_t give_all(bell &ring, Next &&next, Give &&give)
{
    struct guard {
        bell &ring;
        size_t given = 0, ready = 0;
        bool done = false;
        ~guard()
        {
            if (!done && given < ready)
                ring.ring();
        }
    } count{ring};
    for (auto one = next(); one; one = count.given < count.ready ? next() : std::nullopt) {
        if (!count.given++)
            count.ready = size_t{1} + one->info.more;
        give(*one);
    }
    count.done = true;
    return count.given;
}

/** Whoever wants to hear that an edge grew. */
struct edge_listener {
    virtual ~edge_listener() = default;
    virtual void edge_grew(snt_frame child, snt_time newest) = 0;
};

} // namespace detail

/** A transform buffer that tells its message filters which edge grew. */
class tf_buffer
{
  public:
    tf_buffer() : tf_buffer(defaults()) {}

    /** The hook is used by this class; one set in `config` is called as well. */
    explicit tf_buffer(snt_tf_buffer_config config) : state_(std::make_unique<state>())
    {
        state_->notify = config.notify;
        state_->notify_user = config.notify_user;
        config.notify = &tf_buffer::hook;
        config.notify_user = state_.get();
        check(snt_tf_buffer_create(&config, nullptr, &state_->handle), "transform buffer");
    }

    static snt_tf_buffer_config defaults()
    {
        snt_tf_buffer_config config;
        snt_tf_buffer_config_init(&config, sizeof config);
        return config;
    }

    snt_tf_buffer *get() const
    {
        return state_->handle;
    }

    snt_frame frame(const std::string &name)
    {
        snt_frame frame = 0;
        check(snt_tf_buffer_frame(get(), name.c_str(), &frame), "frame");
        return frame;
    }

    snt_status insert(const std::string &parent, const std::string &child, snt_time stamp,
                      const snt_pose &pose)
    {
        snt_tf_transform transform;
        snt_tf_transform_init(&transform, 0, 0, stamp);
        transform.pose = pose;
        return snt_tf_buffer_insert_named(get(), parent.c_str(), child.c_str(), &transform, nullptr);
    }

    snt_status insert(const snt_tf_transform &transform)
    {
        return snt_tf_buffer_insert(get(), &transform, nullptr);
    }

    snt_status insert_many(span<const snt_tf_transform> transforms, span<snt_status> statuses = {})
    {
        return snt::insert_many(get(), transforms, statuses);
    }

    /** Static edges make everything that waits for them be looked at. */
    snt_status insert_static(const std::string &parent, const std::string &child, const snt_pose &pose)
    {
        snt_tf_transform transform;
        snt_tf_transform_init(&transform, frame(parent), frame(child), 0);
        transform.pose = pose;
        return snt_tf_buffer_insert_static(get(), &transform, nullptr);
    }

    void listen(const std::shared_ptr<detail::edge_listener> &listener)
    {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        auto next = std::make_shared<listeners>();
        if (state_->all)
            for (const auto &old : *state_->all)
                if (!old.expired())
                    next->push_back(old);
        next->push_back(listener);
        state_->all = std::move(next);
    }

  private:
    using listeners = std::vector<std::weak_ptr<detail::edge_listener>>;
    struct state {
        snt_tf_buffer *handle = nullptr;
        snt_tf_notify notify = nullptr;
        void *notify_user = nullptr;
        std::mutex mutex;
        std::shared_ptr<const listeners> all;
        ~state()
        {
            snt_tf_buffer_destroy(handle);
        }
    };

    static void hook(void *user, snt_frame child, snt_time newest)
    {
        state *s = static_cast<state *>(user);
        std::shared_ptr<const listeners> all;
        {
            const std::lock_guard<std::mutex> lock(s->mutex);
            all = s->all;
        }
        if (all)
            for (const auto &weak : *all)
                if (const auto listener = weak.lock())
                    listener->edge_grew(child, newest);
        if (s->notify)
            s->notify(s->notify_user, child, newest);
    }

    std::unique_ptr<state> state_;
};

/** Settings of a message_filter; the comments of snt_message_filter_config say which of them to turn. */
struct filter_options {
    uint32_t capacity = 10;
    nanoseconds wait_timeout{0}; ///< 0 = wait for ever
    nanoseconds max_age{0};      ///< 0 = any
    nanoseconds tolerance{0};
    uint32_t overflow = SNT_OVERFLOW_OLDEST;
    bool strict_fifo = false;
    bool refuse_zero = false;
    snt_epoch *epoch = nullptr;
};

/** A payload whose transforms exist. */
template <class T> struct released {
    T payload;
    snt_sample sample;
    snt_filter_release info;
    std::vector<snt_tf_result> transforms; ///< two per target: at t0 and at t1

    const snt_pose &pose() const ///< T_target_source at t0, first target
    {
        return transforms.front().pose;
    }
};

/** A payload that will not be released, and why. */
template <class T> struct filter_dropped {
    T payload;
    snt_filter_drop info;
    std::string text;
};

/** Holds payloads until their transforms exist. The buffer must outlive it. All members may be called from any thread. */
template <class T> class message_filter
{
  public:
    message_filter(tf_buffer &tf, const std::vector<std::string> &targets, const filter_options &options = {})
        : state_(std::make_shared<state>(tf, options))
    {
        set_targets(targets);
        tf.listen(state_);
    }

    message_filter(tf_buffer &tf, const std::string &target, const filter_options &options = {})
        : message_filter(tf, std::vector<std::string>{target}, options)
    {
    }

    void set_targets(const std::vector<std::string> &targets)
    {
        std::vector<snt_frame> frames;
        for (const auto &name : targets)
            frames.push_back(state_->tf.frame(name));
        check(snt_message_filter_set_targets(state_->handle, frames.data(),
                                             static_cast<uint32_t>(frames.size())),
              "targets");
        state_->ring_if_ready();
    }

    void set_tolerance(nanoseconds tolerance)
    {
        check(snt_message_filter_set_tolerance(state_->handle, tolerance.count()), "tolerance");
        state_->ring_if_ready();
    }

    /** `sample.token` is replaced. A negative status: the payload was not kept. */
    snt_status add(snt_sample sample, const std::string &frame, T payload, snt_time now = steady_now())
    {
        sample.token = state_->payloads.put(std::move(payload));
        const snt_status status = snt_message_filter_add_named(state_->handle, &sample, frame.c_str(), now);
        if (status < 0)
            state_->payloads.take(sample.token);
        else if (status == SNT_OK)
            state_->ring.ring();
        return status;
    }

    /** The next one that can be had now, if any; `info.more` says how many follow. */
    std::optional<released<T>> next(snt_time now = steady_now(), snt_time now_stamp = SNT_UNKNOWN)
    {
        snt_filter_release info;
        snt_tf_result results[2 * SNT_FILTER_MAX_TARGETS];
        if (snt_message_filter_poll(state_->handle, now, now_stamp, &info, results,
                                    2 * SNT_FILTER_MAX_TARGETS) != SNT_OK)
            return std::nullopt;
        return released<T>{state_->payloads.take(info.sample.token), info.sample, info,
                           std::vector<snt_tf_result>(results, results + info.results)};
    }

    /** Everything that can be had now, in order. */
    std::vector<released<T>> drain(snt_time now = steady_now(), snt_time now_stamp = SNT_UNKNOWN)
    {
        std::vector<released<T>> all;
        while (auto one = next(now, now_stamp))
            all.push_back(std::move(*one));
        return all;
    }

    /**
     * Calls `give(released<T> &)` for each that is ready, with no lock held. If it throws, those behind stay for the next time;
     * what it adds itself does too.
     */
    template <class F> size_t drain(F &&give, snt_time now = steady_now(), snt_time now_stamp = SNT_UNKNOWN)
    {
        return detail::give_all(
            state_->ring, [&] { return next(now, now_stamp); }, give);
    }

    std::vector<filter_dropped<T>> drops()
    {
        std::vector<filter_dropped<T>> all;
        snt_filter_drop drop;
        while (snt_message_filter_poll_drop(state_->handle, &drop) == SNT_OK) {
            all.push_back(
                {state_->payloads.take(drop.sample.token), drop, to_string(state_->tf.get(), drop)});
        }
        return all;
    }

    /** Until something may be there to take, or the time is over; false = it is. May wake early: drain and see. */
    bool wait(nanoseconds timeout)
    {
        return state_->ring.wait(timeout);
    }

    snt_filter_stats stats() const
    {
        snt_filter_stats stats{};
        snt_message_filter_stats(state_->handle, &stats);
        return stats;
    }

    void clear()
    {
        snt_message_filter_clear(state_->handle);
        state_->ring_if_ready();
    }

    snt_message_filter *get() const
    {
        return state_->handle;
    }

  private:
    struct state : detail::edge_listener {
        state(tf_buffer &buffer, const filter_options &options) : tf(buffer)
        {
            snt_message_filter_config config;
            snt_message_filter_config_init(&config, sizeof config);
            config.capacity = options.capacity;
            config.overflow = options.overflow;
            config.max_targets = SNT_FILTER_MAX_TARGETS;
            config.wait_timeout_ns = options.wait_timeout.count();
            config.max_age_ns = options.max_age.count();
            config.tolerance_ns = options.tolerance.count();
            config.flags = (options.strict_fifo ? uint32_t{SNT_FILTER_STRICT_FIFO} : 0u) |
                           (options.refuse_zero ? uint32_t{SNT_FILTER_REFUSE_ZERO} : 0u);
            config.epoch = options.epoch;
            check(snt_message_filter_create(tf.get(), &config, nullptr, &handle), "message filter");
        }

        ~state() override
        {
            snt_message_filter_destroy(handle);
        }

        void edge_grew(snt_frame child, snt_time newest) override
        {
            if (snt_message_filter_poll_edge(handle, child, newest, steady_now()) == SNT_OK)
                ring.ring();
        }

        void ring_if_ready()
        {
            snt_filter_stats stats{};
            snt_message_filter_stats(handle, &stats);
            if (stats.held > stats.waiting)
                ring.ring();
        }

        tf_buffer &tf;
        snt_message_filter *handle = nullptr;
        detail::store<T> payloads;
        detail::bell ring;
    };

    std::shared_ptr<state> state_;
};

/** Settings of a synchronizer. `inputs` may be shorter than the number of inputs. */
struct sync_options {
    uint32_t policy = SNT_SYNC_APPROXIMATE;
    uint32_t queue = 10;
    nanoseconds max_separation = nanoseconds::max(); ///< max = any
    nanoseconds deadline{0};                         ///< 0 = none
    nanoseconds max_age{0};                          ///< 0 = any
    nanoseconds optional_wait{0};
    uint32_t min_members = 0;
    uint32_t flags = 0;
    uint32_t domain = 0;
    uint32_t driver = SNT_SYNC_NO_INPUT;
    snt_epoch *epoch = nullptr;
    std::vector<snt_sync_input_config> inputs;
};

/** A set. It is the tuple of its payloads (empty ones where an input is missing) and knows how it came about. */
template <class... Ts> struct sync_set : std::tuple<Ts...> {
    snt_sync_set info{};
    std::vector<snt_sync_member> members;
    std::tuple<Ts...> after; ///< INTERPOLATED inputs: the later of the pair

    bool has(uint32_t input) const
    {
        return (info.present >> input & 1) != 0;
    }

    /** INTERPOLATED inputs: part of the way from the earlier to the later, 0..1. */
    double weight(uint32_t input) const
    {
        for (const auto &member : members)
            if (member.input == input && (member.flags & SNT_MEMBER_BEFORE))
                return static_cast<double>(member.weight_num) / static_cast<double>(member.weight_den);
        return 0;
    }
};

/** A payload that was in no set, or that was lent and is past. */
struct sync_dropped {
    snt_sync_drop info;
    std::string text;
};

/** Groups payloads of several inputs. All members may be called from any thread. */
template <class... Ts> class synchronizer
{
  public:
    static constexpr uint32_t input_count = sizeof...(Ts);
    using set = sync_set<Ts...>;
    template <size_t I> using payload = std::tuple_element_t<I, std::tuple<Ts...>>;

    explicit synchronizer(const sync_options &options = {})
    {
        std::vector<snt_sync_input_config> inputs(options.inputs);
        inputs.resize(input_count);
        snt_sync_config config;
        snt_synchronizer_config_init(&config, sizeof config);
        config.policy = options.policy;
        config.flags = options.flags;
        config.input_count = input_count;
        config.inputs = inputs.data();
        config.queue = options.queue;
        config.ready = 64;
        config.domain = options.domain;
        config.driver = options.driver;
        config.min_members = options.min_members;
        config.max_separation_ns = options.max_separation.count(); // the greatest is SNT_UNKNOWN
        config.deadline_ns = options.deadline.count();
        config.optional_wait_ns = options.optional_wait.count();
        config.max_age_ns = options.max_age.count();
        config.epoch = options.epoch;
        snt_synchronizer *handle = nullptr;
        check(snt_synchronizer_create(&config, nullptr, &handle), "synchronizer");
        handle_.reset(handle);
    }

    /** `sample.token` is replaced. A negative status: the payload was not kept. */
    template <size_t I> snt_status add(snt_sample sample, payload<I> what, snt_time now = steady_now())
    {
        auto &payloads = std::get<I>(stores_);
        sample.token = payloads.put(std::move(what));
        const snt_status status = snt_synchronizer_add(handle_.get(), I, &sample, now);
        if (status < 0)
            payloads.take(sample.token);
        else if (status == SNT_OK)
            ring_.ring();
        return status;
    }

    /**
     * Adds and takes the set that this completes, if any: cheaper than `add` and `drain`. Others may be ready behind it
     * (`info.more`) and drops as well (`info.undrained`); `wait` knows of them. `status`, where not null, as of `add`.
     */
    template <size_t I>
    std::optional<set> add_poll(snt_sample sample, payload<I> what, snt_time now = steady_now(),
                                snt_status *status = nullptr)
    {
        auto &payloads = std::get<I>(stores_);
        std::optional<payload<I>> refused; // ends when the lock is free again
        std::optional<set> one;
        snt_sync_set info;
        std::vector<snt_sync_member> members(snt_synchronizer_max_members(handle_.get()));
        sample.token = payloads.put(std::move(what));
        const std::lock_guard<std::mutex> lock(taking_);
        const snt_status done = snt_synchronizer_add_poll(
            handle_.get(), I, &sample, now, &info, members.data(), static_cast<uint32_t>(members.size()));
        if (done < 0)
            refused.emplace(payloads.take(sample.token));
        else if (done == SNT_EMPTY || (done == SNT_OK && (info.more || info.undrained)))
            ring_.ring();
        if (status)
            *status = done == SNT_EMPTY ? SNT_OK : done;
        if (done == SNT_OK)
            one = made(info, members);
        return one;
    }

    /** The next set, if there is one; `info.more` says how many follow. */
    std::optional<set> next(snt_time now = steady_now(), snt_time now_stamp = SNT_UNKNOWN)
    {
        snt_sync_set info;
        std::vector<snt_sync_member> members(snt_synchronizer_max_members(handle_.get()));
        const std::lock_guard<std::mutex> lock(taking_);
        if (snt_synchronizer_poll(handle_.get(), now, now_stamp, &info, members.data(),
                                  static_cast<uint32_t>(members.size())) != SNT_OK)
            return std::nullopt;
        return made(info, members);
    }

    std::vector<set> drain(snt_time now = steady_now(), snt_time now_stamp = SNT_UNKNOWN)
    {
        std::vector<set> all;
        while (auto one = next(now, now_stamp))
            all.push_back(std::move(*one));
        return all;
    }

    /**
     * Calls `give(set &)` for each that is ready, with no lock held. If it throws, those behind stay for the next time;
     * what it adds itself does too.
     */
    template <class F> size_t drain(F &&give, snt_time now = steady_now(), snt_time now_stamp = SNT_UNKNOWN)
    {
        return detail::give_all(
            ring_, [&] { return next(now, now_stamp); }, give);
    }

    /** Must be called too: what nobody takes keeps its place, and in the end adds are refused. */
    std::vector<sync_dropped> drops()
    {
        std::vector<sync_dropped> all;
        std::tuple<std::vector<Ts>...> gone; // payloads end when the lock is free again
        snt_sync_drop drop;
        uint32_t count;
        const std::lock_guard<std::mutex> lock(taking_);
        while (snt_synchronizer_poll_drops(handle_.get(), &drop, 1, &count) == SNT_OK) {
            forget(drop.input, drop.sample.token, gone, std::index_sequence_for<Ts...>());
            all.push_back({drop, to_string(drop)});
        }
        return all;
    }

    /** Until something may be there to take, or the time is over; false = it is. */
    bool wait(nanoseconds timeout)
    {
        return ring_.wait(timeout);
    }

    snt_sync_diagnosis diagnose(snt_time now = steady_now()) const
    {
        snt_sync_diagnosis diagnosis{};
        snt_synchronizer_diagnose(handle_.get(), now, &diagnosis);
        return diagnosis;
    }

    snt_sync_stats stats() const
    {
        snt_sync_stats stats{};
        snt_synchronizer_stats(handle_.get(), &stats);
        return stats;
    }

    snt_synchronizer *get() const
    {
        return handle_.get();
    }

  private:
    struct deleter {
        void operator()(snt_synchronizer *handle) const
        {
            snt_synchronizer_destroy(handle);
        }
    };

    template <size_t I> void fill_one(set &one)
    {
        for (const auto &member : one.members) {
            if (member.input != I)
                continue;
            auto &payloads = std::get<I>(stores_);
            auto value = member.flags & SNT_MEMBER_LENT ? payloads.copy(member.sample.token)
                                                        : payloads.take(member.sample.token);
            if (member.flags & SNT_MEMBER_AFTER)
                std::get<I>(one.after) = std::move(value);
            else
                std::get<I>(static_cast<std::tuple<Ts...> &>(one)) = std::move(value);
        }
    }

    set made(const snt_sync_set &info, const std::vector<snt_sync_member> &members)
    {
        set one;
        one.info = info;
        one.members.assign(members.begin(), members.begin() + info.member_count);
        fill(one, std::index_sequence_for<Ts...>());
        return one;
    }

    template <size_t... Is> void fill(set &one, std::index_sequence<Is...>)
    {
        (fill_one<Is>(one), ...);
    }

    template <size_t... Is>
    void forget(uint32_t input, uint64_t token, std::tuple<std::vector<Ts>...> &gone,
                std::index_sequence<Is...>)
    {
        ((Is == input ? std::get<Is>(gone).push_back(std::get<Is>(stores_).take(token)) : void()), ...);
    }

    std::unique_ptr<snt_synchronizer, deleter> handle_;
    std::tuple<detail::store<Ts>...> stores_;
    std::mutex
        taking_; ///< a lent payload must not retire between its set's being polled and being taken apart
    detail::bell ring_;
};

} // namespace snt

namespace std
{
template <class... Ts> struct tuple_size<snt::sync_set<Ts...>> : integral_constant<size_t, sizeof...(Ts)> {
};
template <size_t I, class... Ts>
struct tuple_element<I, snt::sync_set<Ts...>> : tuple_element<I, tuple<Ts...>> {
};
} // namespace std

#endif /* SENSORTIME_HPP */
