# SPDX-License-Identifier: BSD-3-Clause
"""What an audit found, ready to be shown or exported."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from sensortime.findings import ERROR, NOTE, SEVERITY_NAMES, WARNING

from .recording import Problem
from .streams import Stream

__all__ = ["ERROR", "NOTE", "WARNING", "Item", "Result"]


@dataclass
class Item:
    """One finding as the report shows it."""

    topic: str
    code: str  # name of the SNT_FINDING_*, in lower case, or one of the program's own
    severity: int  # NOTE, WARNING, ERROR
    certainty: float  # 0..1
    text: str  # what was seen, with numbers and units
    remedy: str  # what to do
    facts: Dict[str, Any] = field(default_factory=dict)
    topics: List[str] = field(default_factory=list)  # all that share it, where several do
    consequences: List[str] = field(default_factory=list)  # what follows from it

    @property
    def sure(self) -> str:
        if self.certainty >= 0.995:
            return "certain"
        return f"{self.certainty:.2f} sure"

    @property
    def severity_name(self) -> str:
        return SEVERITY_NAMES[self.severity]


@dataclass
class Result:
    """One recording, audited."""

    path: str
    format: str
    messages: int = 0
    first_log_ns: Optional[int] = None
    last_log_ns: Optional[int] = None
    log_clock: str = ""
    log_is_unix: bool = False
    imu_topic: str = ""
    streams: List[Stream] = field(default_factory=list)
    scans: list = field(default_factory=list)  # ScanTopic
    items: List[Item] = field(default_factory=list)
    problems: List[Problem] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)
    fine: List[str] = field(default_factory=list)
    turn_rate: Optional[float] = None  # of the robot, near its largest [rad/s]
    speed: Optional[float] = None  # [m/s]
    not_found: List[str] = field(default_factory=list)  # topics asked for that are not there

    @property
    def findings(self) -> List[Item]:
        """What is worth acting on, most important first."""
        return [i for i in self.items if i.severity > NOTE]

    @property
    def remarks(self) -> List[Item]:
        return [i for i in self.items if i.severity <= NOTE]

    @property
    def exit_code(self) -> int:
        if self.not_found or self.messages == 0:
            return 2
        return 1 if self.findings or self.problems else 0
