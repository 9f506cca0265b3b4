"""A program as it is shipped, with one system call that fails: what the tests of all programs share.

strace makes the Nth call of one kind fail, in each thread, with each error that its manual page gives
(Errnos.inc; others are below, or where they are used). A test is a Subject: it starts its program and
says whether that has lived with the fault.

Skipped (exit 77) without strace, where tracing is not allowed, or where this kernel refuses the
io_uring that was asked for, unless NIO_REQUIRE_ALL=1. A failure prints the command that plays it again
(--only). Faults that do not strike prove nothing: too many of them are a failure.
"""
import argparse
import concurrent.futures
import errno
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from command_line import Parser, at_least, folder_with  # noqa: E402

SKIPPED = 77
HANG = 120.0
# Of all faults: a thread makes a call more or less from run to run.
LEAST_STRUCK = 0.9

# Under which names the library's calls are in Errnos.inc, and which of them are what strace knows.
SYSTEM_CALLS = {"SO_ERROR": ["getsockopt"], "epoll_ctl add": ["epoll_ctl"],
                "epoll_ctl modify": ["epoll_ctl"], "epoll_ctl remove": ["epoll_ctl"],
                "epoll_wait": ["epoll_pwait", "epoll_pwait2"]}
# stdio, malloc and the loader use them too; a wake-up that is not written cannot be made up for.
LEFT_OUT = {"read", "write", "mmap"}
# What strace alone can do: a thread that cannot be made.
OTHERS = {"clone3": ["EAGAIN", "ENOMEM", "EPERM"]}


class Failure(Exception):
    pass


class Hang(Failure):
    pass


class NotStarted(Exception):
    """It does not even without a fault."""


def errors_by_call(*more):
    text = (Path(__file__).parent / "Errnos.inc").read_text()
    found = {}
    for name, errors in re.findall(r'\{"([^"]+)", \{([^}]*)\}\}', text):
        for call in SYSTEM_CALLS.get(name, [name]):
            if name not in LEFT_OUT:
                found.setdefault(call, []).extend(errors.split(", "))
    for others in (OTHERS, *more):
        for name, errors in others.items():
            found.setdefault(name, []).extend(errors)
    return {name: sorted(set(errors)) for name, errors in found.items()}


class Program:
    """One that says ":PORT, … :PORT (" when it is ready."""

    reads = "no file"  # its configuration

    def __init__(self, command, prefix=()):
        self.name = Path(command[0]).name
        # Under a tracer the leak check cannot work.
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        self.process = subprocess.Popen([*prefix, *command], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)
        self.ports = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self.process.stdout.close()
        self.process.stderr.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def idle(self):
        """What to do while it is waited for."""
        time.sleep(0.005)

    def until(self, condition, why):
        end = time.monotonic() + HANG
        while not condition():
            if time.monotonic() > end:
                raise Hang(why() if callable(why) else why)
            self.idle()

    def is_ready(self):
        """False: it has ended instead."""
        line = b""
        while not line.endswith(b"\n"):
            self.until(lambda: select.select([self.process.stdout], [], [], 0)[0],
                       "hangs before it is ready")
            part = os.read(self.process.stdout.fileno(), 4096)
            if not part:
                return False
            line += part
        self.ports = [int(port) for port in re.findall(rb":(\d+)(?:,| \()", line)]
        return self.ports != []

    def must_be_ready(self):
        if not self.is_ready():
            _, errors = self.wait()
            raise NotStarted((errors or ["it says nothing"])[-1])

    def has_ended(self):
        return self.process.poll() is not None

    def ends(self):
        """Whether it has ended, or is about to."""
        try:
            self.until(self.has_ended, "")
        except Hang:
            return False
        return True

    def wait(self):
        """Its exit code and its lines on standard error."""
        self.until(self.has_ended, "does not end")
        _, errors = self.process.communicate()
        return self.process.returncode, errors.decode(errors="replace").splitlines()

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return 0

    def descriptors_at_rest(self):
        last, same = -1, 0

        def rests():
            nonlocal last, same
            now = self.descriptors()
            last, same = (last, same + 1) if now == last else (now, 0)
            return same == 20
        self.until(rests, "descriptors come and go")
        return last

    def wait_for_descriptors(self, most):
        self.until(lambda: self.descriptors() <= most,
                   lambda: f"{self.descriptors()} descriptors are open, {most} before")

    def check_ended(self, before):
        """It may: with one line, and exit code 1 (2: what it reads could not be read)."""
        code, errors = self.wait()
        if code == 2 and not self.ports and len(errors) == 1 and self.reads in errors[0]:
            return
        # What it logs says how bad that is; the end is a line without.
        own = [line for line in errors if re.match(self.name + ": (?!error: |warning: |info: )", line)]
        if code != 1 or len(own) != 1:
            raise Failure(f"ends {before} with code {code}: {errors[-3:]}")

    def stop(self):
        """As wait()."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def check_drain(self):
        code, errors = self.stop()
        if code == 0:
            return
        if code != 1 or not errors or not errors[-1].startswith(self.name + ": "):
            raise Failure(f"drains with code {code}: {errors[-3:]}")


class Fault:
    """CALL:ERROR:N:PHASE. In the phase "ready" N is counted from then on: what each thread does at
    first would else strike the first thread alone, and end the program. Other phases are the test's.
    """

    def __init__(self, call, error, nth, phase="start"):
        self.call, self.error, self.nth, self.phase = call, error, int(nth), phase

    def __str__(self):
        return f"{self.call}:{self.error}:{self.nth}:{self.phase}"

    def inject(self):
        when = "" if self.phase == "always" else f":when={self.nth}"
        return ["-e", f"inject={self.call}:error={self.error}{when}"]


class Traced(Program):
    """With strace, as its grandchild or attached later, so that the process is the program's own."""

    def __init__(self, command, trace, fault=None, paths=(), phase="start"):
        self.log = tempfile.NamedTemporaryFile(prefix="nio-strace-", mode="r")
        self.strace = ["strace", "-f", "-qq", "-e", "signal=none", "-o", self.log.name,
                       "-e", "trace=" + trace]
        for path in paths:
            self.strace += ["-P", str(path)]
        self.strace += fault.inject() if fault else []
        self.attached = None
        self.waits = (fault.phase if fault else phase) == "ready"
        super().__init__(command, [] if self.waits else [*self.strace, "-D", "--seccomp-bpf"])

    def __exit__(self, *_):
        super().__exit__()
        if self.attached:
            self.attached.wait()
        self.log.close()

    def is_ready(self):
        if not super().is_ready():
            return False
        if self.waits:
            self.attached = subprocess.Popen([*self.strace, "-p", str(self.process.pid)],
                                             stderr=subprocess.DEVNULL)
            self.until(self.is_traced, "strace does not attach")
        return True

    def is_traced(self):
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/status")
        try:
            return all("TracerPid:\t0\n" not in task.read_text() for task in tasks)
        except OSError:  # a thread has ended
            return False

    def struck(self):
        self.log.seek(0)
        return self.log.read().count("(INJECTED)")

    def calls(self):
        """Of each system call the most that one thread has made."""
        counts = {}
        for line in self.log.read().splitlines():
            made = re.match(r"(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed)", line)
            if made and made[3] == "(":
                counts[made[2], made[1]] = counts.get((made[2], made[1]), 0) + 1
        most = {}
        for (call, _), count in counts.items():
            most[call] = max(most.get(call, 0), count)
        return most


class Subject:
    """What a test gives: the errors of its calls, how to count them, how to live with one fault."""

    program = "?"    # which is tried
    name = "?"       # in what is printed
    arguments = ""   # of the command that plays a failure again
    phases = ("start", "ready")
    errors = {}

    def count(self, phase):
        """Runs without a fault. How often each call is made in it."""
        raise NotImplementedError

    def start(self, fault):
        """The program with this fault: a context manager with struck()."""
        raise NotImplementedError

    def live(self, program):
        """True: it has served; False: it was not set up, or has ended as it may."""
        raise NotImplementedError


hung_once = []


def run_case(subject, case, last=False):
    """The case that has struck, or the last that has not: whether it served, and struck; its failure."""
    with subject.start(Fault(*case)) as program:
        try:
            served, failure = subject.live(program), None
        except Hang as hang:
            # On a busy machine the time may be over for others: who hangs does so again.
            if not last:
                hung_once.append(case)
                return run_case(subject, case, last=True)
            served, failure = False, f"{hang}"
        except Failure as other:
            served, failure = False, f"{other}"
        was_struck = program.struck() > 0
    call, error, nth, phase = case
    # Counted while a busy machine tried much again, which it does not in this run: an earlier call.
    if not was_struck and not failure and nth > 1:
        return run_case(subject, (call, error, nth // 2, phase))
    return case, served, was_struck, failure


def make_cases(calls, errors, most, phase):
    return [(call, error, nth, phase) for call in sorted(calls) if call in errors
            for nth in range(1, min(calls[call], most) + 1) for error in errors[call]]


def chosen(cases, number):
    """So many, spread evenly; of each call one at least."""
    if number == 0 or number >= len(cases):
        return cases
    picked = {(case[0], case[3]): case for case in cases}
    step = len(cases) / number
    return sorted({*picked.values(), *(cases[int(i * step)] for i in range(number))})


def skip(why):
    print("skipped: " + why)
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else SKIPPED)


def check_strace():
    if shutil.which("strace") is None:
        skip("no strace")
    tried = subprocess.run(["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e",
                            "trace=bind", "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        skip("strace may not trace: " + (tried.stderr.splitlines() or ["?"])[-1])


def case_of(kind):
    """What --only says: CALL:ERROR:N, and the phase if it is not the first."""
    def case(text):
        words = text.split(":")
        if len(words) not in (3, 4):
            raise argparse.ArgumentTypeError(f"'{text}' is not CALL:ERROR:N:PHASE")
        call, error, nth, phase = [*words, kind.phases[0]][:4]
        if call not in kind.errors:
            raise argparse.ArgumentTypeError(f"'{call}' is none of {', '.join(sorted(kind.errors))}")
        if not (error.startswith("E") and hasattr(errno, error)):
            raise argparse.ArgumentTypeError(f"there is no error '{error}'")
        if phase not in kind.phases:
            raise argparse.ArgumentTypeError(f"'{phase}' is none of {', '.join(kind.phases)}")
        return call, error, at_least(1)(nth), phase
    return case


def parser_of(kind, description):
    made = Parser(description=description)
    made.add_argument("programs", type=folder_with(kind.program), help="where the program is")
    made.add_argument("--selector", default="epoll", choices=["auto", "epoll", "poll", "select", "uring"])
    made.add_argument("--cases", type=at_least(0), default=0, help="so many of them (0: all)")
    made.add_argument("--most", type=at_least(1), default=30, help="the first so many of each call")
    made.add_argument("--only", type=case_of(kind), metavar="CALL:ERROR:N:PHASE", help="this one")
    made.add_argument("--jobs", type=at_least(1), default=2 * (os.cpu_count() or 1))
    return made


def may_attach():
    with subprocess.Popen(["sleep", "5"]) as process:
        tried = subprocess.run(["timeout", "-s", "INT", "0.2", "strace", "-qq", "-o", "/dev/null",
                                "-p", str(process.pid)], capture_output=True, text=True)
        process.kill()
    return "ptrace" not in tried.stderr


def cases_of(subject, options):
    cases = []
    attaches = "ready" not in subject.phases or may_attach()
    if not attaches:
        if os.environ.get("NIO_REQUIRE_ALL") == "1" or options.only and options.only[3] == "ready":
            skip("strace may not attach")
        print("left out: what begins when the program is ready (strace may not attach)")
    for phase in (phase for phase in subject.phases if attaches or phase != "ready"):
        cases += make_cases(subject.count(phase), subject.errors, options.most, phase)
    return [options.only] if options.only else chosen(cases, options.cases)


def prepare(kind, options):
    """What run_all() is told."""
    try:
        subject = kind(options)
        return subject, options, cases_of(subject, options)
    except NotStarted as why:
        if options.selector == "uring" and "io_uring" in str(why):
            skip(f"no io_uring here: {why}")
        raise


def typed(path):
    """As it can be typed in this folder."""
    path, here = Path(path).absolute(), Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def run_all(subject, options, cases, began):
    """Whether all is well."""
    served = struck = failed = 0
    again = f"python3 -B {typed(sys.argv[0])} {typed(options.programs)}{subject.arguments} --only"
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = pool.map(lambda case: run_case(subject, case), cases)
        for case, has_served, was_struck, failure in runs:
            served += has_served
            struck += was_struck
            if failure:
                failed += 1
                print(f"{again} {Fault(*case)}\n  {failure}", flush=True)
    print(f"{subject.name}: {len(cases)} cases of {len({case[0] for case in cases})} system calls, "
          f"{len({case[1] for case in cases})} errors, {struck} struck: "
          f"{served} served on, "
          f"{len(cases) - served - failed} ended with a line, {failed} failed; "
          + (f"{len(hung_once)} hung once, and not again; " if hung_once else "") +
          f"{time.monotonic() - began:.0f} s")
    if struck >= LEAST_STRUCK * len(cases) > 0:
        return not failed
    print(f"{subject.name}: failed: {struck} of {len(cases)} faults struck, and at least "
          f"{100 * LEAST_STRUCK:.0f} % of them must")
    return False


def run(kind, description):
    """Runs all that the command line asks for, and ends the test."""
    parser = parser_of(kind, description)
    options = parser.parse_args()
    check_strace()
    began = time.monotonic()
    try:
        sys.exit(0 if run_all(*prepare(kind, options), began) else 1)
    except NotStarted as why:
        parser.error(f"{kind.program} does not start: {why}")
    except Failure as failure:
        sys.exit(f"{parser.prog}: {kind.program} fails without any fault: {failure}")
