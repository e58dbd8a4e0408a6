# SPDX-License-Identifier: BSD-3-Clause
"""Would a node that looks up each scan's transform have got it? How long, and how deep a queue, it would have taken."""

from typing import Any, List, NamedTuple, Optional

import numpy as np

from sensortime import abi

_LEAST_TRANSFORMS = 3


class Coverage(NamedTuple):
    """Of one lidar by the moving transforms."""

    scans: int  # judged
    never: int  # scans later than the last transform, though not at the recording's end
    wait_ns: int  # longest time a scan had to wait for its transform
    queue: int  # scans that wait at once
    child: str  # the frame that was waited for longest


def of_scans(scans: Any, streams: List[Any]) -> Optional[Coverage]:
    """None where there are no moving transforms, or no stamps to ask for."""
    moving = [
        s for s in streams
        if s.is_transform and not s.static and s.curve is not None and s.count >= _LEAST_TRANSFORMS
    ]  # fmt: skip
    asked = [(r.header_ns, r.receive_ns) for r in scans.reports
             if abi.SNT_UNKNOWN not in (r.header_ns, r.receive_ns) and r.header_ns > 0]  # fmt: skip
    if not moving or len(asked) < 2:
        return None
    stamps, arrived = np.array(asked, np.int64).T
    worst = np.zeros(stamps.size, np.int64)
    never = np.zeros(stamps.size, bool)
    child, longest = "", -1
    for stream in moving:
        times, logs = stream.curve.arrays()
        newest = np.maximum.accumulate(times)
        first = np.searchsorted(newest, stamps, "left")
        # at the very end the recording stops before the transform comes
        late = (first == times.size) & (arrived < logs[-1] - 1_000_000_000)
        known = first < times.size
        wait = np.zeros(stamps.size, np.int64)
        wait[known] = np.maximum(0, logs[first[known]] - arrived[known])
        never |= late
        worst = np.maximum(worst, wait)
        if wait.max() > longest:
            child, longest = stream.name, int(wait.max())
    ready = arrived + worst
    order = np.sort(arrived)
    # a scan that waits shares the queue with those that come meanwhile
    queue = np.searchsorted(order, ready, "right") - np.searchsorted(order, arrived, "left")
    return Coverage(stamps.size, int(never.sum()), int(worst.max()), int(queue.max()), child)
