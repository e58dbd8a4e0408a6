/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sensortime.h
 * Everything: include this, or only the rooms you use.
 */
#ifndef SENSORTIME_H
#define SENSORTIME_H

#include "base.h"
#include "version.h"

/* when: times, clocks, admission */
#include "stamp.h"
#include "sample.h"
#include "tick_unwrapper.h"
#include "timescale.h"
#include "clock_map.h"
#include "device_clock.h"
#include "clock_source.h"
#include "admission.h"
#include "clock_graph.h"

/* where: poses and the transform tree */
#include "pose.h"
#include "frame_conventions.h"
#include "tf_buffer.h"
#include "imu_buffer.h"

/* what else: queues and matching */
#include "drop_reason.h"
#include "message_filter.h"
#include "message_cache.h"
#include "synchronizer.h"

/* points: layout and deskew */
#include "cloud.h"
#include "message_view.h"
#include "point_layout.h"
#include "deskew.h"

/* observing: streams, scans, QoS */
#include "finding.h"
#include "qos.h"
#include "scan_audit.h"
#include "stream_monitor.h"

#endif /* SENSORTIME_H */
