/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file clock_graph.h
 * A time on any clock, from any clock it is connected to: tf2 for time.
 *
 * Nodes are clock domains. Edges are what is known of two of them: a ::snt_clock_map, one of its exported mappings, a fixed
 * offset, the leap seconds between unix, TAI and GPS, or a fact from outside such as an offset that a synchronisation daemon
 * vouches for. Edges are used in both directions. Bounds are composed along a path, and where several paths lead to the
 * goal their answers are intersected: each contains the truth if its assumptions hold, so an empty intersection proves
 * that one of them does not, and the report names the edges on either side.
 *
 * Loops are welcome: they are what makes contradictions visible.
 */
#ifndef SENSORTIME_CLOCK_GRAPH_H
#define SENSORTIME_CLOCK_GRAPH_H

#include "base.h"
#include "clock_map.h"
#include "sample.h"
#include "stamp.h"
#include "timescale.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Clocks and what connects them. */
typedef struct snt_clock_graph snt_clock_graph;

/** Most edges of one path; longer ways are not looked for. */
#define SNT_CLOCK_GRAPH_HOPS 8

/** How to make a graph. */
typedef struct snt_clock_graph_config {
    uint32_t struct_size; /**< sizeof this struct */
    uint32_t max_edges;   /**< 1..256; default 32 */
    uint32_t max_paths;   /**< most paths intersected for one answer, fewest edges first, 1..64; default 16 */
    uint32_t without_scales; /**< 1 = do not connect unix, TAI and GPS; 0 = connect them, the default */
    const snt_leap_table *leap_table; /**< copied; NULL = built-in, the default */
} snt_clock_graph_config;

/**
 * Fill a config with its defaults.
 *
 * @param[out] cfg  config to fill
 * @param      size sizeof *cfg as the caller was compiled
 * @thread P  @alloc never  @since 1.0
 */
SNT_API void snt_clock_graph_config_init(snt_clock_graph_config *cfg, size_t size);

/**
 * Memory a graph will take: four versions of all its edges.
 *
 * @param      cfg config; NULL = defaults
 * @param[out] out [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL, or a field out of range), SNT_ERR_FULL (max_edges < 2 with the scales)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_size(const snt_clock_graph_config *cfg, uint64_t *out);

/**
 * Make a graph. Unless told otherwise it connects unix with TAI (edge 1) and TAI with GPS (edge 2).
 *
 * @param      cfg       config; NULL = defaults
 * @param      allocator where to take memory from; NULL = malloc
 * @param[out] out       the graph; NULL on failure
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (a field out of range), SNT_ERR_FULL (max_edges < 2 with the scales),
 *         SNT_ERR_NO_MEMORY
 * @thread P  @alloc create  @since 1.0
 */
SNT_API snt_status snt_clock_graph_create(const snt_clock_graph_config *cfg, const snt_allocator *allocator,
                                          snt_clock_graph **out);

/**
 * Free a graph; its maps are not touched. No thread may still use it.
 *
 * @param graph a graph, or NULL
 * @thread H  @alloc never (frees)  @since 1.0
 */
SNT_API void snt_clock_graph_destroy(snt_clock_graph *graph);

/* ---- edges ----
 * Every change publishes a new version of the whole graph; whoever reads goes on with the one it began with. SNT_BUSY means
 * that slow readers hold all spare versions: ask again. Edge numbers start at 1 and are never used twice. */

/** What an edge is. */
enum {
    SNT_EDGE_SCALE = 1,  /**< leap seconds, or TAI − GPS */
    SNT_EDGE_OFFSET = 2, /**< to = from + offset, for ever */
    SNT_EDGE_FACT = 3,   /**< an offset with bound, drift and expiry, told from outside */
    SNT_EDGE_MAP = 4,    /**< a ::snt_clock_map as it is at each call */
    SNT_EDGE_MAPPING = 5 /**< an exported mapping */
};

/**
 * Connect two of unix, TAI and GPS by the graph's leap table.
 *
 * @param      graph a graph
 * @param      from  SNT_DOMAIN_UNIX, SNT_DOMAIN_TAI or SNT_DOMAIN_GPS
 * @param      to    another one of them
 * @param[out] edge  number of the new edge; NULL if not wanted
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_DOMAIN (not these), SNT_ERR_CYCLE (from = to), SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_add_scale(snt_clock_graph *graph, uint32_t from, uint32_t to,
                                             uint32_t *edge);

/**
 * Connect two clocks that differ by a constant: to = from + offset ± error.
 *
 * @param      graph     a graph
 * @param      from      clock
 * @param      to        another clock
 * @param      offset_ns [ns]
 * @param      error_ns  >= 0 [ns]
 * @param[out] edge      number of the new edge; NULL if not wanted
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG (NULL, or SNT_DOMAIN_UNSPECIFIED), SNT_ERR_RANGE (infinite offset or error,
 *         or negative error), SNT_ERR_CYCLE (from = to), SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_add_offset(snt_clock_graph *graph, uint32_t from, uint32_t to,
                                              int64_t offset_ns, int64_t error_ns, uint32_t *edge);

/**
 * What somebody vouches for: at time `at`, to = from + offset ± error, and the offset changes by at most `drift_ppb`. 64
 * bytes, frozen.
 */
typedef struct snt_clock_fact {
    uint32_t from;       /**< clock */
    uint32_t to;         /**< another clock */
    int64_t at_ns;       /**< when it was so [ns, from] */
    int64_t offset_ns;   /**< to − from [ns] */
    int64_t error_ns;    /**< >= 0 [ns] */
    int64_t drift_ppb;   /**< 0..500 000 000; 0 = the offset does not change [ppb] */
    int64_t valid_from;  /**< not before this; SNT_TIME_INFINITE_PAST = always [ns, from] */
    int64_t valid_until; /**< not after this; SNT_TIME_INFINITE_FUTURE = for ever [ns, from] */
    uint64_t reserved;   /**< 0 */
} snt_clock_fact;

/**
 * Connect two clocks by a fact.
 *
 * @param      graph a graph
 * @param      fact  what is known
 * @param[out] edge  number of the new edge; NULL if not wanted
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG (NULL, SNT_DOMAIN_UNSPECIFIED, or reserved not 0), SNT_ERR_RANGE (a field is
 *         out of range), SNT_ERR_CYCLE (from = to), SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_add_fact(snt_clock_graph *graph, const snt_clock_fact *fact,
                                            uint32_t *edge);

/**
 * Replace a fact by a newer one of the same two clocks.
 *
 * @param graph a graph
 * @param edge  number of a fact
 * @param fact  what is known now
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG, SNT_ERR_RANGE, SNT_ERR_NOT_FOUND (no such edge, or it is no fact),
 *         SNT_ERR_DOMAIN (other clocks)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_update_fact(snt_clock_graph *graph, uint32_t edge,
                                               const snt_clock_fact *fact);

/**
 * Connect a device's clock and a host's by their map, asked anew at each conversion.
 *
 * @param      graph a graph
 * @param      map   a map; not owned. It has to live until the edge is removed and every call that ran meanwhile has
 *                   returned.
 * @param[out] edge  number of the new edge; NULL if not wanted
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG (NULL, or a domain is SNT_DOMAIN_UNSPECIFIED), SNT_ERR_CYCLE (both domains
 *         are one), SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_add_map(snt_clock_graph *graph, const snt_clock_map *map, uint32_t *edge);

/**
 * Connect two clocks by an exported mapping, which is copied: for replay, or across processes.
 *
 * @param      graph   a graph
 * @param      mapping a mapping
 * @param[out] edge    number of the new edge; NULL if not wanted
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG, SNT_ERR_FORMAT (it is no mapping), SNT_ERR_CYCLE, SNT_ERR_FULL
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_add_mapping(snt_clock_graph *graph, const snt_clock_mapping *mapping,
                                               uint32_t *edge);

/**
 * Replace an exported mapping by another of the same two clocks.
 *
 * @param graph   a graph
 * @param edge    number of a mapping
 * @param mapping what is known now
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG, SNT_ERR_FORMAT, SNT_ERR_NOT_FOUND (no such edge, or it is no mapping),
 *         SNT_ERR_DOMAIN (other clocks)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_update_mapping(snt_clock_graph *graph, uint32_t edge,
                                                  const snt_clock_mapping *mapping);

/**
 * Replace the leap table.
 *
 * @param graph a graph
 * @param table copied; NULL = built-in
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG (NULL graph, or it is no table)
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_set_leap_table(snt_clock_graph *graph, const snt_leap_table *table);

/**
 * Take an edge out.
 *
 * @param graph a graph
 * @param edge  its number
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG, SNT_ERR_NOT_FOUND
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_remove(snt_clock_graph *graph, uint32_t edge);

/** What an edge is, for lists. 16 bytes, frozen. */
typedef struct snt_clock_edge {
    uint32_t edge; /**< its number */
    uint32_t kind; /**< SNT_EDGE_* */
    uint32_t from; /**< clock */
    uint32_t to;   /**< clock */
} snt_clock_edge;

/**
 * All edges, in the order they were added.
 *
 * @param      graph    a graph
 * @param[out] edges    as many as fit; may be NULL for capacity 0
 * @param      capacity room in `edges`
 * @param[out] count    how many there are
 * @retval SNT_OK, SNT_BUSY, SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_edges(const snt_clock_graph *graph, snt_clock_edge *edges,
                                         uint32_t capacity, uint32_t *count);

/* ---- conversion ---- */

/** How an answer came about, or why there is none. 160 bytes, frozen. */
typedef struct snt_clock_report {
    int32_t status;         /**< of the conversion */
    uint32_t to;            /**< clock asked for */
    uint32_t paths;         /**< paths that gave an answer */
    uint32_t blocked;       /**< paths with an edge that gave none */
    uint32_t truncated;     /**< 1: there are more paths than were looked at */
    uint32_t blocked_edge;  /**< on the first blocked path, the edge that gave none; 0 = none */
    int32_t blocked_status; /**< what it said: SNT_ERR_EXPIRED, SNT_ERR_HORIZON, SNT_PENDING, … */
    uint32_t suspect_edge;  /**< conflict: without it alone all other paths agree; 0 = none or several */
    uint32_t constant;      /**< conflict: SNT_LOOKS_* if the gap is 37 s, 18 s or 19 s of time scales; else
                                  SNT_LOOKS_SAME */
    uint32_t a_count;       /**< edges of path a */
    int64_t gap_ns;         /**< conflict: at least by this much one of the two is wrong [ns] */
    int64_t difference_ns;  /**< conflict: estimate of a − estimate of b [ns] */
    snt_interval a;         /**< conflict: the later answer; else that of the narrowest path [ns, to] */
    snt_interval b;         /**< conflict: the earlier answer [ns, to] */
    uint32_t a_edges[SNT_CLOCK_GRAPH_HOPS]; /**< path that led to a */
    uint32_t b_edges[SNT_CLOCK_GRAPH_HOPS]; /**< path that led to b */
    uint32_t b_count;                       /**< edges of path b; 0 without a conflict */
    uint32_t reserved;                      /**< 0 */
} snt_clock_report;

/**
 * A bounded time on another clock.
 *
 * The bound is the intersection over all paths looked at, the estimate that of the narrowest path moved into it, and the
 * flags those of the paths that supplied one of these. Session and version of a map's answer are passed on; a time whose
 * session is not the map's is refused by that edge. O(paths · hops · edges).
 *
 * @param      graph  a graph
 * @param      in     a time with its domain
 * @param      to     clock wanted
 * @param[out] out    may be `in`; untouched unless SNT_OK
 * @param[out] report how it came about, filled on success and on every failure below but SNT_ERR_INVALID_ARG and
 *                    SNT_ERR_RANGE; NULL if not wanted
 * @retval SNT_OK
 * @retval SNT_BUSY               the graph changed in every attempt
 * @retval SNT_ERR_INVALID_ARG    a pointer is NULL
 * @retval SNT_ERR_RANGE          `in` is no bounded time
 * @retval SNT_ERR_NOT_FOUND      one of the clocks is in no edge
 * @retval SNT_ERR_NOT_CONNECTED  no path of at most SNT_CLOCK_GRAPH_HOPS edges
 * @retval SNT_ERR_CONFLICT       two paths exclude each other
 * @return otherwise every path is blocked, and this is what the first blocked edge said: SNT_ERR_EXPIRED (a fact, outside
 *         its validity), SNT_PENDING, SNT_ERR_INVALID_STATE, SNT_ERR_SESSION, SNT_ERR_HORIZON (a map), SNT_ERR_PAST (before
 *         1972), SNT_ERR_OVERFLOW
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_convert(const snt_clock_graph *graph, const snt_bounded_time *in,
                                           uint32_t to, snt_bounded_time *out, snt_clock_report *report);

/**
 * ::snt_clock_graph_convert for many times, without reports. Each is converted for itself: they may be of different clocks,
 * and a graph that changes meanwhile is seen by those that follow.
 *
 * @param      graph    a graph
 * @param      in       `count` times with their domains
 * @param      count    how many
 * @param      to       clock wanted
 * @param[out] out      `count` times; those refused are left alone; may be `in`
 * @param[out] statuses `count` outcomes, as of ::snt_clock_graph_convert; may be NULL
 * @return the first outcome that is not SNT_OK, else SNT_OK; SNT_ERR_INVALID_ARG
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_convert_many(const snt_clock_graph *graph, const snt_bounded_time *in,
                                                uint64_t count, uint32_t to, snt_bounded_time *out,
                                                snt_status *statuses);

/**
 * Whether all that is connected to a clock agrees at a time: converts to every other clock and stops at the first
 * contradiction.
 *
 * @param      graph  a graph
 * @param      at     a time with its domain
 * @param[out] report the contradiction, or the last conversion; NULL if not wanted
 * @retval SNT_OK (no contradiction; blocked paths are none), SNT_ERR_CONFLICT, SNT_BUSY, SNT_ERR_INVALID_ARG,
 *         SNT_ERR_RANGE, SNT_ERR_NOT_FOUND
 * @thread C  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_graph_check(const snt_clock_graph *graph, const snt_bounded_time *at,
                                         snt_clock_report *report);

/**
 * A report as one line of English, with the edges' numbers.
 *
 * @param      report a report
 * @param[out] text   without newline, cut to fit and always terminated
 * @param      size   of `text`, 512 is enough [bytes]
 * @retval SNT_OK, SNT_ERR_INVALID_ARG (NULL), SNT_ERR_BUFFER_TOO_SMALL (cut)
 * @thread P  @alloc never  @since 1.0
 */
SNT_API snt_status snt_clock_report_format(const snt_clock_report *report, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* SENSORTIME_CLOCK_GRAPH_H */
