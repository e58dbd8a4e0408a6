/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file finding.h
 * What an audit has to say: one struct for every verdict of ::snt_stream_monitor and ::snt_scan_auditor, with its
 * meaning, how sure it is and what to do.
 */
#ifndef SENSORTIME_FINDING_H
#define SENSORTIME_FINDING_H

#include "base.h"
#include "stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How much a finding matters. */
enum {
    SNT_SEVERITY_NOTE = 1,    /**< worth knowing; nothing is wrong by itself */
    SNT_SEVERITY_WARNING = 2, /**< something downstream may suffer */
    SNT_SEVERITY_ERROR = 3    /**< data is lost, misplaced or useless */
};

/**
 * Every finding as X(name, number, severity, meaning, remedy). The severity is the usual one; snt_finding.severity is
 * what was found in this case. Numbers are part of the ABI and never reused: streams from 1, clocks from 40, scans from 70.
 */
#define SNT_FINDING_MAP(X)                                                                                   \
    X(SNT_FINDING_NO_MESSAGES, 1, SNT_SEVERITY_ERROR,                                                        \
      "no message at all arrived: the publisher is absent or the QoS profiles do not match",                 \
      "compare the profiles of both ends (ros2 topic info -v) and align them")                               \
    X(SNT_FINDING_SILENT, 2, SNT_SEVERITY_ERROR, "messages came and then stopped",                           \
      "look for a stopped driver, a broken link or an ended recording")                                      \
    X(SNT_FINDING_GAP, 3, SNT_SEVERITY_WARNING, "messages are missing between two stamps",                   \
      "reduce load, use best effort for sensors, check the link")                                            \
    X(SNT_FINDING_RATE, 4, SNT_SEVERITY_WARNING, "the rate is not the expected one",                         \
      "check the sensor's configuration and the load of the machine")                                        \
    X(SNT_FINDING_JITTER, 5, SNT_SEVERITY_NOTE, "the intervals between stamps scatter",                      \
      "stamp with the device's clock instead of the host's time of arrival")                                 \
    X(SNT_FINDING_DUPLICATE, 6, SNT_SEVERITY_WARNING, "stamps repeat",                                       \
      "look for a second publisher or a node that sends old data again; drop repeats by stamp")              \
    X(SNT_FINDING_BACKWARD, 7, SNT_SEVERITY_ERROR, "stamps jump back",                                       \
      "reset the SLAM node after a simulation reset, driver restart or clock step; cut the recording there") \
    X(SNT_FINDING_INTERLEAVED, 8, SNT_SEVERITY_ERROR,                                                        \
      "stamps jump back again and again: two publishers share the topic, or one reorders",                   \
      "remove the duplicate publisher")                                                                      \
    X(SNT_FINDING_ZERO_STAMP, 9, SNT_SEVERITY_ERROR, "the header's stamp is zero: nobody filled it",         \
      "fix the node; zero means latest to some interfaces and 1970 to others")                               \
    X(SNT_FINDING_FROZEN_STAMP, 10, SNT_SEVERITY_ERROR, "the stamp stands still while messages arrive",      \
      "restart the driver or fix the clock that feeds its stamps")                                           \
    X(SNT_FINDING_FROZEN_CONTENT, 11, SNT_SEVERITY_WARNING, "the content stands still while stamps advance", \
      "check the sensor; a robot at rest may send equal encoder values, a lidar or camera never does")       \
    X(SNT_FINDING_BURST, 12, SNT_SEVERITY_WARNING,                                                           \
      "delivery stopped and then many messages came at once while their stamps are even: not a sensor gap",  \
      "trust the stamps; look for a starved executor, recorder or link")                                     \
    X(SNT_FINDING_SEQUENCE_LOSS, 13, SNT_SEVERITY_ERROR,                                                     \
      "sequence numbers are missing: messages were lost, this is proof",                                     \
      "enlarge queues and socket buffers, reduce load, check the link")                                      \
    X(SNT_FINDING_RECORDED_BACKWARD, 14, SNT_SEVERITY_ERROR,                                                 \
      "the log's own times go back in recorded order",                                                       \
      "sort by header stamp before use; the recorder's clock was set or files were merged")                  \
    X(SNT_FINDING_FUTURE, 15, SNT_SEVERITY_WARNING, "stamps lie after their time of arrival",                \
      "fix the clock source; post-dated transforms are meant so and harmless")                               \
    X(SNT_FINDING_LATE_CONSTANT, 16, SNT_SEVERITY_WARNING,                                                   \
      "the delay is large and constant: stamped on arrival, or the clocks of two machines differ",           \
      "use the driver's hardware time and synchronise the clocks")                                           \
    X(SNT_FINDING_LATE, 17, SNT_SEVERITY_WARNING, "messages arrive late and unevenly",                       \
      "reduce load and queue lengths between sensor and consumer")                                           \
    X(SNT_FINDING_DELAY_TREND, 18, SNT_SEVERITY_WARNING,                                                     \
      "the delay grows or shrinks steadily: a backlog, or two clocks that drift apart",                      \
      "steady over the whole recording: map the device clock; growing under load: shorten the queue")        \
    X(SNT_FINDING_STAMPED_ON_ARRIVAL, 19, SNT_SEVERITY_WARNING,                                              \
      "stamps scatter exactly as arrivals do: they are times of reception, not of measurement",              \
      "use the device's own time; else subtract the known latency")                                          \
    X(SNT_FINDING_DELIVERY_JITTER, 20, SNT_SEVERITY_NOTE, "arrivals scatter while stamps are even",          \
      "nothing, as long as consumers use the stamps")                                                        \
    X(SNT_FINDING_STAMP_JUMP, 21, SNT_SEVERITY_ERROR, "stamps jump while arrivals go on evenly",             \
      "the stamping clock was set: cut the recording there or correct the stamps by the jump")               \
    X(SNT_FINDING_CLOCK_DOMAIN, 40, SNT_SEVERITY_ERROR,                                                      \
      "stamps and log times are of different clocks: their difference is no delay",                          \
      "set use_sim_time on every node or none; map device time to host time")                                \
    X(SNT_FINDING_MIXED_CLOCKS, 41, SNT_SEVERITY_ERROR, "stamps of two different clocks in one stream",      \
      "find the node on the wrong clock (use_sim_time)")                                                     \
    X(SNT_FINDING_TIME_SCALE, 42, SNT_SEVERITY_ERROR,                                                        \
      "stamps are off by a whole time-scale offset (TAI, GPS, time zone, epoch), not by a delay",            \
      "set the UTC offset of the sensor or of PTP, or convert with the leap-second table")                   \
    X(SNT_FINDING_HOST_STEP, 43, SNT_SEVERITY_ERROR,                                                         \
      "log time and stamps step together: the host's clock was set, no sensor fault",                        \
      "cut the recording there; discipline the clock by slewing (chrony, ntpd -x)")                          \
    X(SNT_FINDING_UNSET_CLOCK, 44, SNT_SEVERITY_WARNING,                                                     \
      "stamps count from a default date: the device's clock was never set",                                  \
      "synchronise the device (PTP, NTP, GPS) or map its clock")                                             \
    X(SNT_FINDING_NO_POINT_TIME, 70, SNT_SEVERITY_ERROR, "the points carry no usable time",                  \
      "enable per-point time in the driver; without it the cloud cannot be deskewed")                        \
    X(SNT_FINDING_INVALID_POINT_TIME, 71, SNT_SEVERITY_WARNING,                                              \
      "some point times are not numbers or too large", "ignore those points; check the driver")              \
    X(SNT_FINDING_WRAPPED_POINT_TIME, 72, SNT_SEVERITY_WARNING,                                              \
      "negative point times are stored in an unsigned field and wrapped",                                    \
      "read the field as signed; the driver subtracted a later time from an earlier one")                    \
    X(SNT_FINDING_NOT_TIME_ORDERED, 73, SNT_SEVERITY_NOTE,                                                   \
      "points are not stored in the order of their times", "use each point's own time, never its index")     \
    X(SNT_FINDING_RING_BACKWARD, 74, SNT_SEVERITY_WARNING, "times go back within a ring",                    \
      "look at those scans: overlapping revolutions, a clock step or mixed packets")                         \
    X(SNT_FINDING_FOREIGN_POINTS, 75, SNT_SEVERITY_WARNING,                                                  \
      "some points lie outside their scan's period: they belong to another scan",                            \
      "drop or move them by their time")                                                                     \
    X(SNT_FINDING_DURATION, 76, SNT_SEVERITY_ERROR,                                                          \
      "the scan's duration is impossible: the unit is misread", "check the unit of the time field")          \
    X(SNT_FINDING_SUSPECT_LOSS, 77, SNT_SEVERITY_WARNING,                                                    \
      "scans look as if packets were missing: a suspicion, not proof",                                       \
      "open these scans: point count, rings and the position of the gap")                                    \
    X(SNT_FINDING_PACKET_LOSS, 78, SNT_SEVERITY_ERROR, "packets were lost: proven by their numbers",         \
      "enlarge the socket buffer, check the network")                                                        \
    X(SNT_FINDING_IMU_MISSING, 79, SNT_SEVERITY_ERROR, "IMU samples do not reach over the scan",             \
      "wait for the IMU before deskewing; check its delay, its queue and both clocks")                       \
    X(SNT_FINDING_IMU_HOLE, 80, SNT_SEVERITY_WARNING, "a hole in the IMU samples lies inside scans",         \
      "check the IMU's link; interpolation over the hole is a guess")                                        \
    X(SNT_FINDING_IMU_BACKWARD, 81, SNT_SEVERITY_ERROR, "the IMU's stamps step back",                        \
      "cut the recording there or correct the stamps by the step")                                           \
    X(SNT_FINDING_IMU_CLOCK, 82, SNT_SEVERITY_ERROR, "scan and IMU times are of different clocks",           \
      "map both to one clock before combining them")                                                         \
    X(SNT_FINDING_SCAN_OVERLAP, 83, SNT_SEVERITY_WARNING, "a scan begins before the previous one ended",     \
      "check which moment the header means; wrong start or unit makes scans overlap")                        \
    X(SNT_FINDING_HEADER_ROLE, 84, SNT_SEVERITY_NOTE, "the header is not the start of the scan",             \
      "tell your SLAM, or shift the header to the first point")                                              \
    X(SNT_FINDING_HEADER_UNSTEADY, 85, SNT_SEVERITY_WARNING,                                                 \
      "the distance from header to first point is not constant",                                             \
      "use the points' absolute times; the header is not tied to the scan")                                  \
    X(SNT_FINDING_RECEIVED_BEFORE_END, 86, SNT_SEVERITY_ERROR,                                               \
      "scans arrive before their last point was measured: the header cannot be the scan's start",            \
      "the header is the scan's end or time of reception: subtract the scan's duration")                     \
    X(SNT_FINDING_PERIOD_EARLY, 87, SNT_SEVERITY_WARNING,                                                    \
      "the header lies one whole period before the scan's first point",                                      \
      "add one period to the stamps, or update the driver")                                                  \
    X(SNT_FINDING_LATENCY, 88, SNT_SEVERITY_NOTE, "the time from the scan's end to its reception varies",    \
      "nothing if the header is a measurement time; else the stamps vary with it")                           \
    X(SNT_FINDING_COARSE_POINT_TIME, 89, SNT_SEVERITY_WARNING,                                               \
      "the time field is too coarse: neighbouring points share one step of its type",                        \
      "publish times relative to the header or as integers")                                                 \
    X(SNT_FINDING_RINGS_UNTRACKED, 90, SNT_SEVERITY_NOTE, "more rings than the auditor keeps track of",      \
      "raise max_rings or check the ring field")

enum {
#define SNT_X(name, number, severity, meaning, remedy) name = number,
    SNT_FINDING_MAP(SNT_X)
#undef SNT_X
        SNT_FINDING_NONE = 0 /**< no finding */
};

/**
 * One verdict over all that was seen so far. 104 bytes, frozen.
 *
 * What `value_ns`, `reference_ns`, `lo`, `hi` and `number` hold depends on the code; ::snt_finding_format says it in
 * words. Unused ones are 0; a time or duration that is not known is SNT_UNKNOWN.
 */
typedef struct snt_finding {
    uint32_t code;           /**< SNT_FINDING_* */
    uint32_t severity;       /**< SNT_SEVERITY_* in this case */
    double certainty;        /**< 0..1; 1 = proven by the data given */
    uint64_t count;          /**< messages, steps or scans concerned */
    uint64_t total;          /**< out of so many */
    uint64_t first_index;    /**< 0-based index of the first message or scan concerned */
    snt_time first_stamp_ns; /**< its stamp; SNT_UNKNOWN if none [ns] */
    snt_time first_log_ns;   /**< its log or receive time; SNT_UNKNOWN if none [ns] */
    snt_duration value_ns; /**< largest or typical size: the longest gap, the median delay, the step… [ns] */
    snt_duration reference_ns; /**< what it is compared with: the median period, the limit… [ns] */
    int64_t lo;                /**< lower end of a range: messages missing at least; or a detail code */
    int64_t hi;                /**< upper end of the range */
    double number;             /**< a rate [Hz], slope [ns/s] or ratio */
    double number_error;       /**< its standard error, same unit; 0 = none */
} snt_finding;

/**
 * The code's constant, for logs and bindings.
 *
 * @param code one of SNT_FINDING_*
 * @return static text such as "SNT_FINDING_BURST"; "SNT_FINDING_NONE" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_finding_name(uint32_t code);

/**
 * What the finding means, in one English clause.
 *
 * @param code one of SNT_FINDING_*
 * @return static text without full stop; "" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_finding_meaning(uint32_t code);

/**
 * What to do about it.
 *
 * @param code one of SNT_FINDING_*
 * @return static text without full stop; "" for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API const char *snt_finding_remedy(uint32_t code);

/**
 * How severe such a finding usually is.
 *
 * @param code one of SNT_FINDING_*
 * @return one of SNT_SEVERITY_*; 0 for a number that is none
 * @thread P  @alloc never  @since 1.0
 */
SNT_API uint32_t snt_finding_severity(uint32_t code);

/**
 * Say the finding in one line of text: severity, numbers with units, meaning, certainty and remedy.
 *
 * @param      finding what to say
 * @param[out] text    receives the text, cut to fit and always terminated
 * @param      size    room in `text` [bytes]
 * @retval SNT_OK
 * @retval SNT_ERR_BUFFER_TOO_SMALL the text was cut
 * @retval SNT_ERR_INVALID_ARG a null pointer
@thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_finding_format(const snt_finding *finding, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_FINDING_H */
