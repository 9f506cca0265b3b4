"""No lock and no atomic read-modify-write per event: counts the instructions that lock the bus
while steady-echo makes the same number of turns with few connections, with twice as many, and with
more messages for each.

    locked.py STEADY_ECHO             the test: their number must not grow with the events
    locked.py STEADY_ECHO --list      also says which ones ran, by function, per turn
    locked.py STEADY_ECHO --json      prints a line of JSON for each protocol instead

x86-64 only. Exit code 77: skipped."""

import collections
import json
import os
import platform
import shutil
import sys

import callgrind

TURNS = 20
FEW = (20, 1)
LOADS = [(40, 1), (20, 4)]  # connections, messages for each
PROTOCOLS = ["handler", "raw", "line", "length", "stxetx"]


def skip(why):
    print("skipped:", why)
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)


def check_tools():
    if platform.machine() != "x86_64":
        print("skipped: knows the instructions of x86-64 only")
        sys.exit(77)
    for tool in ("valgrind", "objdump"):
        if shutil.which(tool) is None:
            skip(tool + " is not installed")


class Locked:
    """Counts the locked instructions of a profile, by function and instruction."""

    def __init__(self):
        self.addresses = {}

    def of(self, profile):
        counts = collections.Counter()
        for (thing, address), count in profile.instructions.items():
            if not thing or not os.path.exists(thing):
                continue
            if thing not in self.addresses:
                self.addresses[thing] = callgrind.locked_addresses(thing)
            text = self.addresses[thing].get(address)
            if text is not None:
                counts[profile.function_of[thing, address], text] += count
        return counts


def measure(program, protocol, load):
    connections, depth = load
    return callgrind.run("measuredTurns", program, protocol, str(connections), str(depth),
                         str(TURNS))


def locks_taken(profile):
    return sum(count for name, count in profile.calls.items()
               if name.startswith("pthread_mutex_lock"))


def show(protocol, profile, counts):
    print(f"{protocol}: {profile.total / TURNS:.0f} instructions a turn of {FEW[0]} echoes, "
          f"{sum(counts.values()) / TURNS:g} locked:")
    for (function, text), count in counts.most_common():
        print(f"  {count / TURNS:5g} a turn  {text:40} {function}")


def main():
    check_tools()
    program = sys.argv[1]
    listing, lines = ("--list" in sys.argv[2:], "--json" in sys.argv[2:])
    locked = Locked()
    bad = []
    for protocol in PROTOCOLS:
        few = measure(program, protocol, FEW)
        counts = locked.of(few)
        if listing:
            show(protocol, few, counts)
        # A turn has its own locked instructions: a count of none would mean that we see nothing.
        growth = 0.0
        if sum(counts.values()) < TURNS:
            bad.append(f"{protocol}: {sum(counts.values())} locked instructions in {TURNS} turns?")
        for load in LOADS:
            more = measure(program, protocol, load)
            if load[0] > FEW[0] and more.total <= few.total:
                bad.append(f"{protocol}: more echoes, but not more instructions?")
            counted = locked.of(more)
            events = (load[0] * load[1] - FEW[0] * FEW[1]) * TURNS
            growth = max(growth, (sum(counted.values()) - sum(counts.values())) / events)
            for place, count in counted.items():
                if count > counts[place]:
                    bad.append(f"{protocol}: {load[0]} connections of {load[1]} messages: "
                               f"{place[1]} in {place[0]} ran {count} times, with "
                               f"{FEW[0]} of {FEW[1]}: {counts[place]}")
            if locks_taken(more) > locks_taken(few):
                bad.append(f"{protocol}: mutexes taken: {locks_taken(few)}, then "
                           f"{locks_taken(more)}")
        if lines:
            print(json.dumps({"name": protocol, "lockedPerTurn": sum(counts.values()) / TURNS,
                              "lockedPerEvent": round(growth, 4)}))
    for line in bad:
        print(line, file=sys.stderr if lines else sys.stdout)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
