#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of docs/performance.md and README.md from what bench/run.sh measured.

    ./bench/run.sh && docs/performance_table.py [build/bench.json]

The words are here, the numbers are not: a benchmark without words appears under its name, one that was not run is left out.
"""
import json
import os
import re
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ("docs/performance.md", "README.md")

KISS, TF2, MF = "KISS-ICP's way", "tf2", "message_filters"
GROUPS = {
    "Transforms": {
        "tf_insert_newest": ("insert by frame id, newest sample", TF2),
        "tf_insert_named": ("insert by frame names", TF2),
        "tf_lookup_random_depth5": ("lookup on a path, random times, 5 edges at 100 Hz", TF2),
        "tf_lookup_random_depth5_ids": ("the same by frame ids, without a path", TF2),
        "tf_lookup_random_1khz": ("lookup on a path, random times, 5 edges at 1 kHz", TF2),
        "tf_lookup_random_1khz_ids": ("the same by frame ids", TF2),
        "tf_lookup_old_1khz": ("lookup of the oldest data, 1 kHz", TF2),
        "tf_lookup_old_to_recent": ("oldest data, against newest of ours (1 = no difference)", None),
        "tf_lookup_latest_depth5": ("newest common time, 5 edges", TF2),
        "tf_lookup_sequential": ("ascending times, one lookup each", TF2),
        "tf_lookup_batch": ("ascending times in a batch, per time and edge, 100 Hz", None),
        "tf_lookup_batch_1khz": ("the same, 1 kHz", None),
        "tf_lookup_failed": ("refused lookup with its explanation", "tf2's exception"),
        "tf_lookup_failed_to_good": ("refused lookup, against a good one of ours (below 1 = cheaper)", None),
        "tf_tfl_chain10": ("chain of 10 edges, on a path", TF2),
        "tf_tfl_chain10_ids": ("chain of 10 edges, by ids", TF2),
        "tf_tfl_can10": ("can it be transformed, 10 edges, on a path", TF2),
        "tf_tfl_can10_ids": ("the same by ids", TF2),
        "tf_tfl_interpolate_ids": ("one edge, interpolated, by ids", TF2),
        "tf_tfl_static10": ("10 static edges, on a path (folded)", TF2),
        "tf_tfl_static10_ids": ("10 static edges, by ids", TF2),
        "tf_read_p999_contended": ("99.9th percentile of a lookup beside a 10 kHz writer", "the same without writer"),
        "tf_read_busy": ("SNT_BUSY answers in that run", None),
        "tf_reader_scaling": ("two readers of one buffer, against two of a buffer each (1 = perfect)", None),
        "tf_bytes_per_sample": ("memory of a sample", TF2),
        "tf_bytes_per_idle_edge": ("memory of an edge without samples", TF2),
    },
    "Waiting and matching": {
        "filter_add_release": ("message filter: add, transform arrives, release", "tf2's transformable request"),
        "filter_tf_update_1000_waiting": ("a transform arrives while 1000 messages wait, on top of its insert", "tf2's requests"),
        "filter_tf_update_10_waiting": ("the same with 10 messages waiting", None),
        "filter_poll_per_edge": ("a plain poll, per blocking edge", None),
        "sync_approx_n2": ("ApproximateTime, identical sets, 2 inputs, per message", MF),
        "sync_approx_n4": ("ApproximateTime, identical sets, 4 inputs", MF),
        "sync_approx_n16": ("ApproximateTime, 16 inputs", None),
        "sync_approx_n64": ("ApproximateTime, 64 inputs", None),
        "sync_rate_mismatch": ("ApproximateTime, 200 Hz against 5 Hz", MF),
        "sync_exact_n2": ("ExactTime, 2 inputs", MF),
        "sync_fixed_n2": ("APPROXIMATE without ROS's faults, 2 inputs", MF),
        "sync_fixed_n4": ("APPROXIMATE without ROS's faults, 4 inputs", MF),
        "sync_exact_n16": ("ExactTime, 16 inputs", None),
        "sync_exact_n64": ("ExactTime, 64 inputs", None),
        "sync_approx_n2_polled": ("ApproximateTime, 2 inputs, add and poll as two calls", MF),
        "sync_exact_n2_polled": ("ExactTime, 2 inputs, add and poll as two calls", MF),
        "sync_approx_n2_many": ("ApproximateTime, 2 inputs, many samples in one call", MF),
        "sync_exact_n2_many": ("ExactTime, 2 inputs, many samples in one call", MF),
        "sync_approx_n2_single": ("ApproximateTime, 2 inputs, without lock", MF),
        "sync_approx_n4_single": ("ApproximateTime, 4 inputs, without lock", MF),
        "sync_rate_mismatch_single": ("ApproximateTime, 200 Hz against 5 Hz, without lock", MF),
        "sync_exact_n2_single": ("ExactTime, 2 inputs, without lock", MF),
    },
    "Deskew": {
        "deskew_soa": ("separate arrays", KISS),
        "deskew_aos16": ("16-byte points, in place", KISS),
        "deskew_xyzirt22": ("22-byte points (Velodyne), in place", KISS),
        "deskew_hesai26": ("26-byte points (Hesai), in place", KISS),
        "deskew_pcl32": ("32-byte points (PCL), in place", KISS),
        "deskew_ouster48": ("48-byte points (Ouster), in place", KISS),
        "deskew_vector3d": ("Eigen::Vector3d and times in double", KISS),
        "deskew_vector3d_slerp": ("the same", "SLERP per point"),
        "deskew_vector3d_rodrigues": ("the same", "Rodrigues per point, constant twist"),
        "deskew_vector3d_columns": ("the same", "one matrix per column, no motion within it"),
        "deskew_random": ("16-byte points in random order", KISS),
        "deskew_random48": ("48-byte points in random order", KISS),
        "deskew_ring_major": ("ring by ring", "the same points in time order, ours"),
        "deskew_ring_major_100knots": ("ring by ring, 100 knots in the scan", "the same points in time order, ours"),
        "deskew_ouster48_memcpy": ("48-byte points in cache", "limit: memcpy of the bytes"),
        "deskew_cold48": ("48-byte points out of cache", "memcpy of the bytes"),
        "deskew_cold48_rmw": ("48-byte points out of cache", "limit: touching each cache line"),
        "deskew_cold48_copy": ("48-byte points out of cache, to another buffer", "limit: memcpy of the bytes"),
        "deskew_plan_build": ("building a plan of 20 knots", None),
        "deskew_two_threads": ("48-byte points, two threads", "one thread, ours"),
    },
    "Clocks and stamps": {
        "clock_update": ("observation that changes nothing", None),
        "clock_cut": ("observation that narrows the set", None),
        "clock_cut_packets": ("the same, from packets", None),
        "clock_query": ("device stamp → host time with bounds", None),
        "clock_query_past": ("the same, a past reading", None),
        "clock_query_backward": ("host time → device stamp", None),
        "clock_device_stamp": ("device clock: unwrap, map, sample", None),
        "clock_width_vs_optimum": ("width of the bound", "the optimum"),
        "clock_rms_vs_best_peer": ("error of the estimate", "best of five estimators"),
        "graph_convert": ("clock graph: conversion over three edges", None),
        "admission_check": ("admission with its record", None),
        "stamp_ticks": ("ticks → ns with a 128-bit product", None),
        "stamp_print": ("RFC 3339, printed", "gmtime_r, strftime, snprintf"),
        "stamp_parse": ("RFC 3339, read", "strptime, timegm"),
    },
    "Points and audits": {
        "cloud_times_u32": ("decoding point times, uint32", None),
        "cloud_times_f32": ("decoding point times, float", None),
        "cloud_times_f64": ("decoding point times, double", None),
        "layout_detect": ("layout detection", None),
        "audit_points": ("point pass of a scan, 48-byte points, ring by ring", "numpy"),
        "audit_points_numpy_time_major": ("the same, time order", "numpy"),
        "audit_points_time_major": ("point pass, time order, from C", None),
        "audit_points_ring_major": ("point pass, ring by ring, from C", None),
        "audit_points_random": ("point pass, random order, from C", None),
        "audit_stream_add": ("stream monitor, per message", None),
        "audit_recording": ("audit of a whole .mcap recording", "only reading it: rosbags' AnyReader"),
        "audit_recording_db3": ("audit of a whole .db3 recording", "only reading it: rosbags' AnyReader"),
        "audit_recording_bare": ("audit of a whole .mcap recording", "only reading it: rosbag2.Reader"),
    },
    "Python": {
        "python_deskew_131072": ("a cloud of 131 072 points by one twist", "Rodrigues' formula in numpy"),
        "python_tf_lookup_many_1000": ("lookup, 1000 at once", "searchsorted and SLERP in numpy"),
        "python_tf_insert_many_1000": ("transform insert, 1000 at once", "one call each"),
        "python_clock_to_host_many": ("device stamp → host time, 10 000 at once", "one call each"),
        "python_imu_insert_many": ("IMU sample, 10 000 at once", "one call each"),
        "python_sync_add_many": ("matching two inputs, in batches of 200", "one call for each message"),
        "python_call_lookup": ("one lookup, with its objects", None),
        "python_call_add": ("the least that a call takes", None),
    },
}
HIDDEN = {"clock_calibration"}
SHORT = {  # for README.md, where no heading says what a row is about
    "tf_lookup_random_depth5": "transform lookup, random times, 5 edges",
    "tf_insert_newest": "transform insert",
    "tf_lookup_failed": "refused lookup with its explanation",
    "tf_tfl_chain10_ids": "lookup of a chain of 10 edges",
    "tf_tfl_static10_ids": "lookup of 10 static edges, without a path",
    "filter_tf_update_1000_waiting": "a transform arrives while 1000 messages wait",
    "sync_approx_n2": "ApproximateTime, 2 inputs, identical sets",
    "sync_approx_n4": "ApproximateTime, 4 inputs, identical sets",
    "sync_exact_n2": "ExactTime, 2 inputs",
    "deskew_soa": "deskew, separate arrays",
    "deskew_ouster48": "deskew, 48-byte points in place",
    "deskew_vector3d_columns": "deskew, Eigen::Vector3d",
    "deskew_ouster48_memcpy": "deskew, 48-byte points in cache",
    "clock_width_vs_optimum": "width of a clock's bound",
    "clock_rms_vs_best_peer": "error of a clock's estimate",
    "audit_points": "point pass of a 131 072-point cloud",
    "audit_recording": "audit of a whole recording",
}


def number(value, unit):
    if value is None:
        return "–"
    text = f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}".replace(",", " ")
    return f"{text} {unit}" if unit not in ("ratio", "count") else text


def line(row, what, peer):
    ratio = "–"
    if row["ratio"] is not None:
        ratio = f"{row['ratio']:.3g}" if row["ratio"] < 1000 else f"{row['ratio']:,.0f}".replace(",", " ")
    against = f"{number(row['peer'], row['unit'])} ({peer})" if row["peer"] is not None else "–"
    return f"| {what} | {number(row['ours'], row['unit'])} | {against} | {ratio} |"


HEAD = ["| what | ours | against | ratio |", "|---|---|---|---|"]


def full(rows):
    known = {name for group in GROUPS.values() for name in group}
    out = []
    for title, group in GROUPS.items():
        lines = [line(rows[name], *words) for name, words in group.items() if name in rows]
        if lines:
            out += ["", f"## {title}", "", *HEAD, *lines]
    others = [line(row, f"`{name}`", "peer") for name, row in rows.items() if name not in known | HIDDEN]
    return out + (["", "## More", "", *HEAD, *others] if others else []) + [""]


# tfl (github.com/otamachan/tfl) as its README gives it, on an i9-14900K with tf2 0.45: ns of tf2, ns of tfl.
TFL = {
    "insert": (189, 38, "tf_insert_newest", None),
    "chain of 10 edges": (325, 227, "tf_tfl_chain10_ids", "tf_tfl_chain10"),
    "one edge, interpolated": (190, 75, "tf_tfl_interpolate_ids", None),
    "can it be transformed, 10 edges": (218, 116, "tf_tfl_can10_ids", "tf_tfl_can10"),
    "10 static edges": (312, 90, "tf_tfl_static10_ids", "tf_tfl_static10"),
}


def tfl(rows):
    def ratio(name):
        return f"{rows[name]['ratio']:.3g}" if name in rows and rows[name]["ratio"] else "–"

    out = ["", "| times faster than tf2 | tfl, as published | ours by ids | ours on a path |", "|---|---|---|---|"]
    out += [f"| {what} | {a / b:.3g} | {ratio(ids)} | {ratio(path)} |" for what, (a, b, ids, path) in TFL.items()]
    return out + [""]


def short(rows):
    words = {name: text for group in GROUPS.values() for name, text in group.items()}
    return ["", *HEAD, *(line(rows[name], what, words[name][1]) for name, what in SHORT.items() if name in rows), ""]


def machine(path):
    model, cores = "", os.cpu_count()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"model name\s*: (.*)", file.read())
            model = found.group(1).strip() if found else ""
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    day = time.strftime("%Y-%m-%d", time.gmtime(os.path.getmtime(path)))
    return ["", f"Measured on {day}: {cores} cores of {model or 'an unnamed processor'}, {compiler}, `bench/run.sh`.", ""]


def replace(text, mark, lines):
    pattern = re.compile(rf"(<!-- {mark}: begin[^>]*-->\n).*?(<!-- {mark}: end -->)", re.S)
    return pattern.sub(lambda match: match.group(1) + "\n".join(lines) + "\n" + match.group(2), text)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/bench.json")
    with open(path, encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)}
    for page in PAGES:
        with open(os.path.join(TOP, page), encoding="utf-8") as file:
            text = file.read()
        new = replace(text, "bench", full(rows))
        new = replace(new, "bench-short", short(rows))
        new = replace(new, "bench-tfl", tfl(rows))
        new = replace(new, "bench-machine", machine(path))
        if new != text:
            with open(os.path.join(TOP, page), "w", encoding="utf-8") as file:
                file.write(new)
            print(f"{page} written")


main()
