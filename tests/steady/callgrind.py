"""What a program executed inside one function, instruction by instruction, as callgrind counts it."""

import collections
import os
import re
import subprocess
import tempfile


class Profile:
    """instructions: how often each ran, by (object, address); functions: the same by (object,
    function); calls: how often each function was called."""

    def __init__(self):
        self.instructions = collections.Counter()
        self.functions = collections.Counter()
        self.function_of = {}
        self.calls = collections.Counter()

    @property
    def total(self):
        return sum(self.instructions.values())


def run(inside, *command):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "callgrind.out")
        made = subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
             "--compress-strings=no", "--compress-pos=no", f"--toggle-collect={inside}*",
             f"--callgrind-out-file={output}", *command],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        if made.returncode != 0:
            raise RuntimeError(" ".join(command) + ": " + made.stderr)
        with open(output, encoding="utf-8") as lines:
            return parse(lines)


def parse(lines):
    profile = Profile()
    thing = function = called = None
    inclusive = False
    for line in lines:
        if line.startswith("ob="):
            thing = line[3:].strip()
        elif line.startswith("fn="):
            function = line[3:].strip()
        elif line.startswith("cfn="):
            called = line[4:].strip()
        elif line.startswith("calls="):
            profile.calls[called] += int(line[6:].split()[0])
            inclusive = True
        elif line.startswith("0x"):
            if inclusive:
                inclusive = False
                continue
            address, cost = line.split()[:2]
            place = (thing, int(address, 16))
            profile.instructions[place] += int(cost)
            profile.functions[thing, function] += int(cost)
            profile.function_of[place] = function
    return profile


def locked_addresses(thing):
    """Where an object has instructions that lock the bus, with their text."""
    found = {}
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", thing], capture_output=True,
                          text=True, timeout=300, check=False).stdout
    pattern = re.compile(r"^\s*([0-9a-f]+):\s+((?:\w+ )*lock\b.*|xchg\s.*\(.*|mfence.*)$")
    for line in text.splitlines():
        match = pattern.match(line)
        if match:
            found[int(match.group(1), 16)] = re.sub(r"\s+", " ", match.group(2))
    return found
