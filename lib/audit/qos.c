/* SPDX-License-Identifier: BSD-3-Clause */
#include "../base/internal.h"
#include "../base/print.h"

#include "sensortime/qos.h"

_Static_assert(sizeof(snt_qos_profile) == 48, "frozen");
_Static_assert(sizeof(snt_qos_verdict) == 112, "frozen");

snt_status snt_qos_preset(uint32_t preset, snt_qos_profile *out)
{
    if (!out)
        return SNT_ERR_INVALID_ARG;
    switch (preset) {
#define SNT_X(name, number, history_, depth_, reliability_, durability_, use)                                \
    case name:                                                                                               \
        *out = (snt_qos_profile){.history = history_,                                                        \
                                 .depth = depth_,                                                            \
                                 .reliability = reliability_,                                                \
                                 .durability = durability_,                                                  \
                                 .liveliness = SNT_QOS_LIVELINESS_SYSTEM_DEFAULT};                           \
        break;
        SNT_QOS_PRESET_MAP(SNT_X)
#undef SNT_X
    default:
        return SNT_ERR_NOT_FOUND;
    }
    /* every preset of rmw leaves the liveliness to the system, which every middleware resolves to automatic */
    out->liveliness = SNT_QOS_AUTOMATIC;
    if (preset == SNT_QOS_PRESET_SYSTEM_DEFAULT)
        out->liveliness = SNT_QOS_LIVELINESS_SYSTEM_DEFAULT;
    if (preset == SNT_QOS_PRESET_BEST_AVAILABLE) {
        out->liveliness = SNT_QOS_LIVELINESS_BEST_AVAILABLE;
        out->deadline_ns = SNT_QOS_DURATION_BEST_AVAILABLE;
        out->lease_ns = SNT_QOS_DURATION_BEST_AVAILABLE;
    }
    return SNT_OK;
}

const char *snt_qos_preset_use(uint32_t preset)
{
    switch (preset) {
#define SNT_X(name, number, history, depth, reliability, durability, use)                                    \
    case name:                                                                                               \
        return use;
        SNT_QOS_PRESET_MAP(SNT_X)
#undef SNT_X
    default:
        return "";
    }
}

static bool qos_valid(const snt_qos_profile *p)
{
    const bool durability = p->durability <= SNT_QOS_DURABILITY_BEST_AVAILABLE ||
                            p->durability == SNT_QOS_TRANSIENT || p->durability == SNT_QOS_PERSISTENT;
    return durability && p->reliability <= SNT_QOS_RELIABILITY_BEST_AVAILABLE &&
           p->history <= SNT_QOS_HISTORY_UNKNOWN && p->liveliness <= SNT_QOS_LIVELINESS_BEST_AVAILABLE &&
           p->deadline_ns >= 0 && p->lifespan_ns >= 0 && p->lease_ns >= 0;
}

static int64_t qos_duration(int64_t ns)
{
    return ns ? ns : SNT_QOS_INFINITE;
}

/* Rank of a durability: how much is kept. 0 = depends. */
static int qos_durability_rank(uint32_t durability)
{
    switch (durability) {
    case SNT_QOS_VOLATILE:
        return 1;
    case SNT_QOS_TRANSIENT_LOCAL:
        return 2;
    case SNT_QOS_TRANSIENT:
        return 3;
    case SNT_QOS_PERSISTENT:
        return 4;
    default:
        return 0;
    }
}

static int qos_liveliness_rank(uint32_t liveliness)
{
    return liveliness >= SNT_QOS_AUTOMATIC && liveliness <= SNT_QOS_MANUAL_BY_TOPIC ? (int)liveliness : 0;
}

static int qos_reliability_rank(uint32_t reliability)
{
    return reliability == SNT_QOS_RELIABLE ? 2 : reliability == SNT_QOS_BEST_EFFORT ? 1 : 0;
}

/*
 * Replace best-available settings by what they become against this one other end: a subscription takes what is offered, a
 * publisher offers the most. Against an end that adapts too, both take the strongest.
 */
static uint32_t qos_adapt(snt_qos_profile *offered, snt_qos_profile *requested)
{
    bool adapted = false;
    if (offered->reliability == SNT_QOS_RELIABILITY_BEST_AVAILABLE) {
        offered->reliability = SNT_QOS_RELIABLE;
        adapted = true;
    }
    if (offered->durability == SNT_QOS_DURABILITY_BEST_AVAILABLE) {
        const bool more = qos_durability_rank(requested->durability) > 2;
        offered->durability = more ? requested->durability : SNT_QOS_TRANSIENT_LOCAL;
        adapted = true;
    }
    if (offered->liveliness == SNT_QOS_LIVELINESS_BEST_AVAILABLE) {
        const bool asked = qos_liveliness_rank(requested->liveliness) != 0;
        offered->liveliness = asked ? requested->liveliness : SNT_QOS_AUTOMATIC;
        adapted = true;
    }
    if (requested->reliability == SNT_QOS_RELIABILITY_BEST_AVAILABLE) {
        requested->reliability = offered->reliability;
        adapted = true;
    }
    if (requested->durability == SNT_QOS_DURABILITY_BEST_AVAILABLE) {
        requested->durability = offered->durability;
        adapted = true;
    }
    if (requested->liveliness == SNT_QOS_LIVELINESS_BEST_AVAILABLE) {
        requested->liveliness = offered->liveliness;
        adapted = true;
    }
    int64_t *const pairs[2][2] = {{&offered->deadline_ns, &requested->deadline_ns},
                                  {&offered->lease_ns, &requested->lease_ns}};
    for (int i = 0; i < 2; i++) {
        int64_t *const offer = pairs[i][0], *const request = pairs[i][1];
        if (*offer == SNT_QOS_DURATION_BEST_AVAILABLE) {
            *offer = *request == SNT_QOS_DURATION_BEST_AVAILABLE ? SNT_QOS_INFINITE : *request;
            adapted = true;
        }
        if (*request == SNT_QOS_DURATION_BEST_AVAILABLE) {
            *request = *offer;
            adapted = true;
        }
    }
    return adapted ? SNT_QOS_ADAPTS_ONCE : 0;
}

/*
 * One ordered policy. The request must not exceed the offer; where an end is undecided the answer may still be clear: the
 * least request is met by any offer, the greatest offer meets any request.
 */
static void qos_rank(int offer, int request, int least, int greatest, uint32_t mismatch, uint32_t undecided,
                     snt_qos_verdict *out)
{
    if (offer && request) {
        if (offer < request)
            out->errors |= mismatch;
    } else if (request != least && offer < greatest) {
        out->undecided |= undecided;
    }
}

static void qos_advise(const snt_qos_profile *offered, const snt_qos_profile *requested, snt_qos_verdict *out)
{
    const bool keeps = qos_durability_rank(offered->durability) >= 2;
    const bool asks = qos_durability_rank(requested->durability) >= 2;
    if (keeps && requested->durability == SNT_QOS_VOLATILE)
        out->warnings |= SNT_QOS_LATE_JOINER;
    if (offered->reliability == SNT_QOS_RELIABLE && requested->reliability == SNT_QOS_BEST_EFFORT)
        out->warnings |= SNT_QOS_DOWNGRADED;
    if (keeps && asks && offered->lifespan_ns != SNT_QOS_INFINITE)
        out->warnings |= SNT_QOS_LIFESPAN_LATE_JOINER;
    if (keeps && asks && offered->history == SNT_QOS_KEEP_LAST && offered->depth &&
        (requested->history == SNT_QOS_KEEP_ALL || requested->depth > offered->depth))
        out->warnings |= SNT_QOS_SHALLOW_HISTORY;
    if (offered->history == SNT_QOS_KEEP_ALL && offered->reliability == SNT_QOS_RELIABLE &&
        requested->reliability == SNT_QOS_RELIABLE)
        out->warnings |= SNT_QOS_KEEP_ALL_BACKPRESSURE;
    if (offered->liveliness == SNT_QOS_MANUAL_BY_NODE || requested->liveliness == SNT_QOS_MANUAL_BY_NODE)
        out->warnings |= SNT_QOS_DEPRECATED_LIVELINESS;
    if (offered->lifespan_ns < offered->deadline_ns && offered->deadline_ns != SNT_QOS_INFINITE)
        out->warnings |= SNT_QOS_LIFESPAN_DEADLINE;
}

snt_status snt_qos_check(const snt_qos_profile *offered, const snt_qos_profile *requested,
                         snt_qos_verdict *out)
{
    if (!offered || !requested)
        return SNT_ERR_INVALID_ARG;
    if (!qos_valid(offered) || !qos_valid(requested))
        return SNT_ERR_RANGE;
    snt_qos_verdict verdict = {.offered = *offered, .requested = *requested};
    snt_qos_profile *const o = &verdict.offered, *const r = &verdict.requested;
    verdict.warnings = qos_adapt(o, r);
    o->deadline_ns = qos_duration(o->deadline_ns);
    r->deadline_ns = qos_duration(r->deadline_ns);
    o->lease_ns = qos_duration(o->lease_ns);
    r->lease_ns = qos_duration(r->lease_ns);
    o->lifespan_ns = qos_duration(o->lifespan_ns);
    r->lifespan_ns = qos_duration(r->lifespan_ns);

    qos_rank(qos_reliability_rank(o->reliability), qos_reliability_rank(r->reliability), 1, 2,
             SNT_QOS_RELIABILITY_MISMATCH, SNT_QOS_RELIABILITY_UNDECIDED, &verdict);
    qos_rank(qos_durability_rank(o->durability), qos_durability_rank(r->durability), 1, 4,
             SNT_QOS_DURABILITY_MISMATCH, SNT_QOS_DURABILITY_UNDECIDED, &verdict);
    qos_rank(qos_liveliness_rank(o->liveliness), qos_liveliness_rank(r->liveliness), 1, 3,
             SNT_QOS_LIVELINESS_MISMATCH, SNT_QOS_LIVELINESS_UNDECIDED, &verdict);
    if (o->deadline_ns > r->deadline_ns)
        verdict.errors |= SNT_QOS_DEADLINE_MISMATCH;
    if (o->lease_ns > r->lease_ns)
        verdict.errors |= SNT_QOS_LEASE_MISMATCH;
    qos_advise(o, r, &verdict);
    if (out)
        *out = verdict;
    return verdict.errors ? SNT_ERR_INCOMPATIBLE : verdict.undecided ? SNT_ERR_AMBIGUOUS : SNT_OK;
}

const char *snt_qos_reason_text(uint32_t reason)
{
    switch (reason) {
#define SNT_X(name, bit, kind, policy, text)                                                                 \
    case 1u << bit:                                                                                          \
        return text;
        SNT_QOS_REASON_MAP(SNT_X)
#undef SNT_X
    default:
        return "";
    }
}

snt_status snt_qos_verdict_format(const snt_qos_verdict *verdict, char *text, size_t size)
{
    static const struct {
        uint32_t bit;
        char kind;
        const char *policy, *text;
    } reasons[] = {
#define SNT_X(name, bit, kind, policy, text) {1u << bit, kind, policy, text},
        SNT_QOS_REASON_MAP(SNT_X)
#undef SNT_X
    };
    if (!verdict || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    const uint32_t all = verdict->errors | verdict->undecided | verdict->warnings;
    snt__print_string(&out, verdict->errors      ? "they do not connect"
                            : verdict->undecided ? "whether they connect is not known"
                                                 : "they connect");
    for (size_t i = 0; i < SNT_COUNT_OF(reasons); i++) {
        if (!(all & reasons[i].bit))
            continue;
        snt__print_string(&out, reasons[i].kind == 'E'   ? "\nerror: "
                                : reasons[i].kind == 'U' ? "\nundecided: "
                                                         : "\nwarning: ");
        snt__print_string(&out, reasons[i].policy);
        snt__print_string(&out, ": ");
        snt__print_string(&out, reasons[i].text);
    }
    return snt__print_end(&out);
}

static void qos_text_duration(snt__printer *out, const char *name, int64_t ns)
{
    if (ns == 0 || ns == SNT_QOS_INFINITE)
        return;
    snt__print_string(out, name);
    if (ns == SNT_QOS_DURATION_BEST_AVAILABLE)
        snt__print_string(out, "best available");
    else
        snt__print_duration(out, ns);
}

snt_status snt_qos_profile_format(const snt_qos_profile *profile, char *text, size_t size)
{
    static const char *const reliability[] = {"system-default reliability", "reliable", "best effort",
                                              "unknown reliability", "best-available reliability"};
    static const char *const durability[] = {"system-default durability", "transient local", "volatile",
                                             "unknown durability", "best-available durability"};
    static const char *const history[] = {"system-default history", "keep last ", "keep all",
                                          "unknown history"};
    static const char *const liveliness[] = {
        "system-default liveliness", "automatic",          "manual by node",
        "manual by topic",           "unknown liveliness", "best-available liveliness"};
    if (!profile || !text)
        return SNT_ERR_INVALID_ARG;
    snt__printer out = snt__print_begin(text, size);
    if (!qos_valid(profile)) {
        snt__print_string(&out, "not a valid profile");
        return snt__print_end(&out);
    }
    snt__print_string(&out, reliability[profile->reliability]);
    snt__print_string(&out, ", ");
    snt__print_string(&out, profile->durability == SNT_QOS_TRANSIENT    ? "transient"
                            : profile->durability == SNT_QOS_PERSISTENT ? "persistent"
                                                                        : durability[profile->durability]);
    snt__print_string(&out, ", ");
    snt__print_string(&out, history[profile->history]);
    if (profile->history == SNT_QOS_KEEP_LAST)
        snt__print_integer(&out, profile->depth);
    if (profile->liveliness > SNT_QOS_AUTOMATIC) {
        snt__print_string(&out, ", ");
        snt__print_string(&out, liveliness[profile->liveliness]);
    }
    qos_text_duration(&out, ", deadline ", profile->deadline_ns);
    qos_text_duration(&out, ", lifespan ", profile->lifespan_ns);
    qos_text_duration(&out, ", lease ", profile->lease_ns);
    return snt__print_end(&out);
}
