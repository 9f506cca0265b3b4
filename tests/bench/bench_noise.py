"""Whether a run was disturbed: other work on the CPUs, a core that is shared or far."""
import bisect
import json
import os
import subprocess
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
IDLE_FIELDS = (3, 4)  # of /proc/stat: idle and waiting for a disk
COUNTED_FIELDS = 8  # guests are counted as user time already
# Of what a good quarter of all looks have seen: beyond it somebody else is on the core.
SLOW = 1.15


def busy_seconds(text, cpus):
    """By /proc/stat: how long these CPUs have worked for anybody, stolen time included."""
    total = 0.0
    for line in text.splitlines():
        words = line.split()
        if words and words[0] in {f"cpu{cpu}" for cpu in cpus}:
            fields = [int(word) for word in words[1:1 + COUNTED_FIELDS]]
            total += sum(fields) - sum(fields[i] for i in IDLE_FIELDS)
    return total / TICKS


def busy_now(cpus):
    return busy_seconds(Path("/proc/stat").read_text(encoding="ascii"), cpus)


class Judge:
    """Knows the limits, and what the CPUs have shown so far."""

    def __init__(self, probe, cpus, foreign=0.15, near=200.0):
        self.probe, self.cpus = str(probe), cpus
        self.foreign, self.near = foreign, near
        self.seen = {"speedA": [], "speedB": []}

    def look(self):
        """How the two CPUs are now; nothing where there is only one."""
        if len(set(self.cpus)) < 2:
            return None
        command = [self.probe, *map(str, self.cpus)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        seen = json.loads(result.stdout)
        self.note(seen)
        return seen

    def note(self, seen):
        for name, values in self.seen.items():
            bisect.insort(values, seen[name])

    def usual(self, name):
        """Not the very best: a core that once ran faster than it ever does again is no measure."""
        values = self.seen[name]
        return values[len(values) // 4]

    def complaints_about(self, seen):
        if not seen:
            return []
        complaints = []
        if self.near and seen["near"] > self.near:
            complaints.append(f"the CPUs are far: {seen['near']:.0f} ns there and back")
        for name in self.seen:
            if seen[name] > SLOW * self.usual(name):
                part = self.usual(name) / seen[name]
                complaints.append(f"a CPU is at {part:.0%} of its speed")
        return complaints

    def complaints(self, foreign, looks):
        """Why a run does not count; nothing where it does."""
        found = [] if foreign <= self.foreign else [f"others took {foreign:.2f} CPUs"]
        for seen in looks:
            found += self.complaints_about(seen)
        return list(dict.fromkeys(found))

    def wait_until_calm(self, seconds):
        """Until the CPUs are near, whole and free, or the time is over: then the run will show."""
        end = time.monotonic() + seconds
        while True:
            before, began = busy_now(self.cpus), time.monotonic()
            time.sleep(0.1)
            busy = (busy_now(self.cpus) - before) / (time.monotonic() - began)
            seen = self.look()
            if busy <= 2 * self.foreign and not self.complaints_about(seen):
                return seen
            if time.monotonic() > end:
                return seen
            time.sleep(0.2)
