#!/usr/bin/env python3
"""A program as it is shipped, to which the kernel refuses one system call for ever.

    refuse_calls.py PROGRAMS [--program sms-router] [--selector poll]

An old kernel refuses with ENOSYS, a sandbox with EPERM. What is asked of the program is in
poor_surroundings.py; how calls are refused, in strace_inject.py.
"""
import sys

from poor_surroundings import KINDS
from strace_inject import Failure, Parser, Subject, Traced, run

REFUSALS = ["ENOSYS", "EPERM"]
# The C library starts, locks, allocates and ends with these: it, or the kernel, ends the program.
LEFT_OUT = ["access", "arch_prctl", "brk", "close", "execve", "exit", "exit_group", "fstat", "futex",
            "mmap", "mprotect", "munmap", "newfstatat", "openat", "pread64", "read", "rt_sigreturn",
            "set_tid_address"]
# There is another way to do the same, or no need.
SERVES_WITHOUT = {"accept4", "epoll_pwait2", "madvise", "poll", "prctl", "prlimit64", "pwritev2", "rseq",
                  "sched_getaffinity", "sched_yield", "sigaltstack", "sysinfo"}
OTHERS = "!" + ",".join("?" + call for call in LEFT_OUT)


class AnyCall(dict):
    """The errors of each call."""

    def __contains__(self, _):
        return True

    def __missing__(self, _):
        return REFUSALS


def refusal_of(kind):
    class Refusal(Subject):
        program = kind.program
        phases = ("always",)
        errors = AnyCall()

        def __init__(self, options):
            self.kind = kind(options.programs, options.selector)
            self.arguments = f" --program {kind.program} --selector {options.selector}"
            self.name = f"{kind.program}, {options.selector}"

        def count(self, phase):
            with self.kind.start(lambda command: Traced(command, OTHERS)) as run:
                if not run.serves():
                    raise Failure("it does not serve")
                return dict.fromkeys(run.program.calls(), 1)

        def start(self, fault):
            run = self.kind.start(lambda command: Traced(command, fault.call, fault))
            run.fault = fault
            return run

        def live(self, run):
            serves = run.serves()
            if not serves and run.fault.call in SERVES_WITHOUT:
                raise Failure(f"it could serve without {run.fault.call}")
            return serves

    return Refusal


def main():
    kinds = {kind.program: kind for kind in KINDS}
    which = Parser(add_help=False)
    which.add_argument("--program", choices=kinds, default="echo-server")
    chosen, sys.argv[1:] = which.parse_known_args()
    run(refusal_of(kinds[chosen.program]), "\n".join(__doc__.splitlines()[:3]))


if __name__ == "__main__":
    main()
