/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sensortime_handles.hpp
 * The C++17 layer over every handle of the C library: owners, spans for the batch calls, texts as strings.
 *
 * An owner turns into the C pointer by itself, so each C function takes it as it is: there is no second vocabulary.
 * Creating throws snt::error; compiled without exceptions (or with SNT_NO_EXCEPTIONS) it gives an empty owner whose
 * `status()` says why. Nothing else here throws, but std::bad_alloc from strings and vectors.
 */
#ifndef SENSORTIME_HANDLES_HPP
#define SENSORTIME_HANDLES_HPP

#include "sensortime.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(SNT_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define SNT_NO_EXCEPTIONS 1
#endif

/** The C++17 layer: RAII handles that own payloads, and blocking waits. */
namespace snt
{

using std::chrono::nanoseconds;

/** A failed creation or setting; `status` says which. Adding and draining never throw it. */
class error : public std::runtime_error
{
  public:
    error(snt_status failure, const char *what)
        : std::runtime_error(std::string(what) + ": " + snt_status_text(failure)), status(failure)
    {
    }
    snt_status status;
};

/** Throws where the status is a failure; without exceptions the status has to be looked at. */
inline void check(snt_status status, const char *what)
{
#if defined(SNT_NO_EXCEPTIONS)
    (void)status, (void)what;
#else
    if (status < 0)
        throw error(status, what);
#endif
}

/* ---- spans ---- */

/** Values in a row that somebody else owns: a pointer and how many. What std::span is from C++20 on. */
template <class T> class span
{
  public:
    constexpr span() noexcept = default;
    constexpr span(T *first, size_t count) noexcept : data_(first), size_(count) {}
    template <size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    /** Whatever has data() and size(): vector, array, string, std::span, … */
    template <class C,
              class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *> &&
                                       std::is_convertible_v<decltype(std::declval<C &>().size()), size_t>>>
    constexpr span(C &&values) : data_(values.data()), size_(values.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](size_t i) const noexcept
    {
        return data_[i];
    }

  private:
    T *data_ = nullptr;
    size_t size_ = 0;
};

/* ---- owners ---- */

/** How a handle of the C library is configured, made and given back. */
template <class T> struct handle_traits;

/** Owns one handle; movable. Passed to C functions as it is. */
template <class T> class handle
{
  public:
    handle() noexcept = default;
    explicit handle(T *owned, snt_status status = SNT_OK) noexcept : owned_(owned), status_(status) {}
    handle(handle &&other) noexcept : owned_(other.release()), status_(other.status_) {}
    handle &operator=(handle &&other) noexcept
    {
        if (this != &other) {
            reset(other.release());
            status_ = other.status_;
        }
        return *this;
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    ~handle()
    {
        handle_traits<T>::destroy(owned_);
    }

    operator T *() const &noexcept
    {
        return owned_;
    }
    operator T *() const && = delete; // it would outlive its owner
    T *get() const noexcept
    {
        return owned_;
    }
    explicit operator bool() const noexcept
    {
        return owned_ != nullptr;
    }
    /** Why it is empty, where its creation failed; else SNT_OK. */
    snt_status status() const noexcept
    {
        return status_;
    }
    T *release() noexcept
    {
        return std::exchange(owned_, nullptr);
    }
    void reset(T *other = nullptr) noexcept
    {
        handle_traits<T>::destroy(std::exchange(owned_, other));
    }

  private:
    T *owned_ = nullptr;
    snt_status status_ = SNT_OK;
};

/** Takes over what a C function made, or throws why it did not. */
template <class T> handle<T> own(snt_status status, T *made, const char *what)
{
    check(status, what);
    return status < 0 ? handle<T>(nullptr, status) : handle<T>(made);
}

#define SNT_HPP_HANDLE(name, config_type)                                                                    \
    template <> struct handle_traits<name> {                                                                 \
        using config = config_type;                                                                          \
        static void init(config *c)                                                                          \
        {                                                                                                    \
            name##_config_init(c, sizeof *c);                                                                \
        }                                                                                                    \
        static snt_status create(const config *c, const snt_allocator *allocator, name **out)                \
        {                                                                                                    \
            return name##_create(c, allocator, out);                                                         \
        }                                                                                                    \
        static void destroy(name *owned) noexcept                                                            \
        {                                                                                                    \
            name##_destroy(owned);                                                                           \
        }                                                                                                    \
        static constexpr const char *text = #name;                                                           \
    };
SNT_HPP_HANDLE(snt_tick_unwrapper, snt_tick_unwrapper_config)
SNT_HPP_HANDLE(snt_clock_map, snt_clock_map_config)
SNT_HPP_HANDLE(snt_device_clock, snt_device_clock_config)
SNT_HPP_HANDLE(snt_clock_graph, snt_clock_graph_config)
SNT_HPP_HANDLE(snt_clock_source, snt_clock_source_config)
SNT_HPP_HANDLE(snt_tf_buffer, snt_tf_buffer_config)
SNT_HPP_HANDLE(snt_synchronizer, snt_sync_config)
SNT_HPP_HANDLE(snt_message_cache, snt_message_cache_config)
SNT_HPP_HANDLE(snt_time_sequencer, snt_time_sequencer_config)
SNT_HPP_HANDLE(snt_imu_buffer, snt_imu_buffer_config)
SNT_HPP_HANDLE(snt_deskew, snt_deskew_config)
SNT_HPP_HANDLE(snt_stream_monitor, snt_stream_monitor_config)
SNT_HPP_HANDLE(snt_scan_auditor, snt_scan_auditor_config)
#undef SNT_HPP_HANDLE

#define SNT_HPP_OWNED(name, give_back)                                                                       \
    template <> struct handle_traits<name> {                                                                 \
        static void destroy(name *owned) noexcept                                                            \
        {                                                                                                    \
            give_back(owned);                                                                                \
        }                                                                                                    \
    };
SNT_HPP_OWNED(snt_epoch, snt_epoch_unref)
SNT_HPP_OWNED(snt_tf_path, snt_tf_path_destroy)
SNT_HPP_OWNED(snt_message_filter, snt_message_filter_destroy)
SNT_HPP_OWNED(snt_admission_log, snt_admission_log_destroy)
#undef SNT_HPP_OWNED

/** The default settings of a kind of handle: `auto c = snt::config<snt_device_clock>();` */
template <class T> typename handle_traits<T>::config config()
{
    typename handle_traits<T>::config c;
    handle_traits<T>::init(&c);
    return c;
}

/** Makes a handle: `auto clock = snt::create<snt_device_clock>(c);` */
template <class T>
handle<T> create(const typename handle_traits<T>::config &c = config<T>(),
                 const snt_allocator *allocator = nullptr)
{
    T *made = nullptr;
    const snt_status status = handle_traits<T>::create(&c, allocator, &made);
    return own(status, made, handle_traits<T>::text);
}

/** A session counter for what restarts together. */
inline handle<snt_epoch> create_epoch()
{
    snt_epoch *made = nullptr;
    const snt_status status = snt_epoch_create(nullptr, &made);
    return own(status, made, "snt_epoch");
}

/** A path through a transform buffer, which must outlive it. */
inline handle<snt_tf_path> create_path(snt_tf_buffer *buffer, const std::string &target,
                                       const std::string &source)
{
    snt_tf_path *made = nullptr;
    const snt_status status = snt_tf_buffer_path(buffer, target.c_str(), source.c_str(), &made);
    return own(status, made, "snt_tf_path");
}

/** A message filter of tokens on a transform buffer, which must outlive it; snt::message_filter owns payloads as well. */
inline handle<snt_message_filter> create_filter(snt_tf_buffer *buffer, const snt_message_filter_config &c)
{
    snt_message_filter *made = nullptr;
    const snt_status status = snt_message_filter_create(buffer, &c, nullptr, &made);
    return own(status, made, "snt_message_filter");
}

/** A log of the newest `capacity` admissions. */
inline handle<snt_admission_log> create_admission_log(uint32_t capacity)
{
    snt_admission_log *made = nullptr;
    const snt_status status = snt_admission_log_create(capacity, nullptr, &made);
    return own(status, made, "snt_admission_log");
}

/* ---- times ---- */

/** Steady time as the C library wants it. */
inline snt_time steady_now()
{
    return std::chrono::duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/** A stamp of SNT_DOMAIN_UNIX as std::chrono has it, and back. */
using unix_time = std::chrono::time_point<std::chrono::system_clock, nanoseconds>;
inline unix_time to_chrono(snt_time t)
{
    return unix_time(nanoseconds(t));
}
inline snt_time from_chrono(unix_time t)
{
    return t.time_since_epoch().count();
}

/** A sample of an instant. */
inline snt_sample sample_at(snt_time stamp, uint32_t domain = SNT_DOMAIN_UNIX)
{
    snt_sample sample;
    snt_sample_init(&sample, stamp, domain, 0);
    return sample;
}

/* ---- texts ---- */

/** The text of a C function whose last two arguments are a buffer and its size: `text(snt_sync_drop_format, &drop)`. */
template <class F, class... A> std::string text(F *format, const A &...about)
{
    std::string all(256, '\0');
    snt_status status;
    while ((status = format(about..., all.data(), all.size())) == SNT_ERR_BUFFER_TOO_SMALL &&
           all.size() < (size_t{1} << 24))
        all.resize(2 * all.size());
    if (status < 0 && status != SNT_ERR_BUFFER_TOO_SMALL)
        return snt_status_text(status);
    all.resize(std::char_traits<char>::length(all.c_str()));
    return all;
}

inline std::string to_string(const snt_clock_finding &finding)
{
    return text(snt_clock_finding_format, &finding);
}
inline std::string to_string(const snt_clock_proof &proof)
{
    return text(snt_clock_proof_format, &proof);
}
inline std::string to_string(const snt_clock_report &report)
{
    return text(snt_clock_report_format, &report);
}
inline std::string to_string(const snt_admission_record &record)
{
    return text(snt_admission_format_text, &record);
}
inline std::string to_string(const snt_tf_buffer *buffer, const snt_tf_miss &miss)
{
    return text(snt_tf_miss_format, buffer, &miss);
}
inline std::string to_string(snt_tf_buffer *buffer, const snt_tf_finding &finding)
{
    return text(snt_tf_finding_format, buffer, &finding);
}
inline std::string to_string(const snt_tf_buffer *buffer, const snt_filter_drop &drop)
{
    return text(snt_filter_drop_format, buffer, &drop);
}
inline std::string to_string(const snt_sync_drop &drop)
{
    return text(snt_sync_drop_format, &drop);
}
inline std::string to_string(const snt_sync_diagnosis &diagnosis)
{
    return text(snt_sync_diagnosis_format, &diagnosis);
}
inline std::string to_string(const snt_message_error &error)
{
    return text(snt_message_error_format, &error);
}
inline std::string to_string(const snt_point_layout &layout, const snt_layout_report &report)
{
    return text(snt_point_layout_format, &layout, &report);
}
inline std::string to_string(const snt_finding &finding)
{
    return text(snt_finding_format, &finding);
}
inline std::string to_string(const snt_qos_verdict &verdict)
{
    return text(snt_qos_verdict_format, &verdict);
}
inline std::string to_string(const snt_qos_profile &profile)
{
    return text(snt_qos_profile_format, &profile);
}

/* ---- batch calls on spans ---- */

/** Spans of outcomes and results are empty (not wanted) or as long as what is asked about. */
template <class T> bool fits(span<T> out, size_t asked)
{
    return out.empty() || out.size() >= asked;
}

/** ::snt_device_clock_stamp_many */
inline snt_status stamp_many(snt_device_clock *clock, uint32_t session, span<const uint64_t> raw,
                             snt_time receive_ns, uint64_t sequence, span<snt_sample> samples,
                             span<snt_status> statuses = {})
{
    if (samples.size() < raw.size() || !fits(statuses, raw.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_device_clock_stamp_many(clock, session, raw.data(), raw.size(), receive_ns, sequence,
                                       samples.data(), statuses.data());
}

/** ::snt_clock_map_to_host_many */
inline snt_status to_host_many(const snt_clock_map *map, span<const int64_t> device_ns,
                               span<snt_bounded_time> out, span<snt_status> statuses = {})
{
    if (out.size() < device_ns.size() || !fits(statuses, device_ns.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_clock_map_to_host_many(map, device_ns.data(), device_ns.size(), out.data(), statuses.data());
}

/** ::snt_clock_graph_convert_many */
inline snt_status convert_many(const snt_clock_graph *graph, span<const snt_bounded_time> in, uint32_t to,
                               span<snt_bounded_time> out, span<snt_status> statuses = {})
{
    if (out.size() < in.size() || !fits(statuses, in.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_clock_graph_convert_many(graph, in.data(), in.size(), to, out.data(), statuses.data());
}

/** ::snt_tf_buffer_insert_many */
inline snt_status insert_many(snt_tf_buffer *buffer, span<const snt_tf_transform> transforms,
                              span<snt_status> statuses = {})
{
    if (!fits(statuses, transforms.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_tf_buffer_insert_many(buffer, transforms.data(), transforms.size(), statuses.data());
}

/** ::snt_imu_buffer_insert_many */
inline snt_status insert_many(snt_imu_buffer *buffer, span<const snt_imu_sample> samples,
                              span<snt_status> statuses = {})
{
    if (!fits(statuses, samples.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_imu_buffer_insert_many(buffer, samples.data(), samples.size(), statuses.data());
}

/** ::snt_tf_path_lookup_many of times and poses that lie close together. */
inline snt_status lookup_many(const snt_tf_path *path, span<const snt_time> stamps, span<snt_pose> poses,
                              span<snt_status> statuses = {}, const snt_tf_question *question = nullptr,
                              snt_tf_cursor *cursor = nullptr)
{
    if (poses.size() < stamps.size() || !fits(statuses, stamps.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_tf_path_lookup_many(path, question, cursor, stamps.data(), 0, stamps.size(), poses.data(), 0,
                                   statuses.data(), nullptr);
}

/** ::snt_synchronizer_add_many */
inline snt_status add_many(snt_synchronizer *sync, span<const uint32_t> inputs, span<const snt_time> stamps,
                           span<const uint64_t> tokens, uint32_t domain, snt_time now_ns,
                           uint64_t *added = nullptr)
{
    if (stamps.size() != inputs.size() || tokens.size() != inputs.size())
        return SNT_ERR_INVALID_ARG;
    return snt_synchronizer_add_many(sync, inputs.data(), stamps.data(), tokens.data(), inputs.size(), domain,
                                     now_ns, added);
}

/** ::snt_stream_monitor_add_many */
inline snt_status add_many(snt_stream_monitor *monitor, span<const snt_stream_message> messages)
{
    return snt_stream_monitor_add_many(monitor, messages.data(), messages.size());
}

/** ::snt_cloud_times of the points from `first` on, as many as `times` holds. */
inline snt_status cloud_times(const snt_cloud &cloud, uint64_t first, snt_time origin_ns,
                              span<snt_time> times, uint64_t *invalid = nullptr)
{
    return snt_cloud_times(&cloud, first, times.size(), origin_ns, times.data(), invalid);
}

/** ::snt_deskew_poses of times and poses that lie close together. */
inline snt_status poses(const snt_deskew *plan, span<const snt_time> stamps, span<snt_pose> out,
                        span<uint8_t> flags = {})
{
    if (out.size() < stamps.size() || !fits(flags, stamps.size()))
        return SNT_ERR_INVALID_ARG;
    return snt_deskew_poses(plan, stamps.data(), 0, stamps.size(), out.data(), 0, flags.data());
}

namespace detail
{
template <class F, class T> std::vector<snt_finding> findings(F *ask, T *of)
{
    std::vector<snt_finding> all(32);
    uint32_t count = 0;
    while (ask(of, all.data(), static_cast<uint32_t>(all.size()), &count) == SNT_ERR_BUFFER_TOO_SMALL)
        all.resize(count);
    all.resize(count);
    return all;
}
} // namespace detail

/** What is wrong with a stream, errors first. */
inline std::vector<snt_finding> findings(snt_stream_monitor *monitor)
{
    return detail::findings(snt_stream_monitor_findings, monitor);
}

/** What is wrong with the scans of a lidar, errors first. */
inline std::vector<snt_finding> findings(const snt_scan_auditor *auditor)
{
    return detail::findings(snt_scan_auditor_findings, auditor);
}

} // namespace snt

#endif
