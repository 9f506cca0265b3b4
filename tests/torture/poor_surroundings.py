#!/usr/bin/env python3
"""Programs as they are shipped, in surroundings that lack something.

    poor_surroundings.py PROGRAMS

In namespaces without IPv6, and also without /proc, with a read-only root file system, without standard
streams, with few descriptors, or with little address space. In each the program serves, sleeps when it is
idle and ends with exit code 0; or it ends with exit code 1 (2: it needs more descriptors than there are)
and one line that says what is missing. If it serves, it writes one warning at most. With ever less
address space each program ends with one line, until the loader cannot load it.

Skipped (exit 77) where no namespace may be made, unless NIO_REQUIRE_ALL=1.
"""
import atexit
import fcntl
import itertools
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import inject_sms_router
from strace_inject import HANG, Failure, Hang, Parser, Program, folder_with, skip

MOUNTED = ["unshare", "--mount", "sh", "-c"]
SURROUNDINGS = {
    "IPv6": [],
    "/proc": [*MOUNTED, 'mount -t tmpfs none /proc && exec "$@"', "sh"],
    "a writable /": [*MOUNTED, 'mount -o remount,bind,ro / && exec "$@"', "sh"],
    "standard input": ["sh", "-c", 'exec "$@" <&-', "sh"],
    "standard output": ["sh", "-c", 'exec "$@" >&-', "sh"],
    "standard error": ["sh", "-c", 'exec "$@" 2>&-', "sh"],
    **{f"more than {n} descriptors": ["prlimit", f"--nofile={n}"] for n in (4, 8, 12, 16, 24)},
    **{f"more than {n} MB of address space": ["prlimit", f"--as={n}000000"]
       for n in (40, 80, 160, 320)},
}


class Mute(Program):
    """Without standard output: it is ready when it listens and opens no more."""

    def is_ready(self):
        self.descriptors_at_rest()
        self.ports = self.listening()
        return self.ports != []

    def listening(self):
        """Its ports, in the order in which they were opened; none where it has ended."""
        listen = "0A"
        process = Path(f"/proc/{self.process.pid}")
        try:
            rows = [row.split() for row in (process / "net/tcp").read_text().splitlines()]
            ports = {f"socket:[{row[9]}]": int(row[1].split(":")[1], 16)
                     for row in rows if row[3] == listen}
            opened = [os.readlink(process / "fd" / fd)
                      for fd in sorted(os.listdir(process / "fd"), key=int)]
        except OSError:
            return []
        return [ports[name] for name in opened if name in ports]


class Run:
    """A program between its peers, once."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.__exit__()

    def struck(self):
        return self.program.struck()

    def use(self):
        """What the peers do when it is ready."""

    def serves(self):
        """True: it has; False: it has ended instead, as it may."""
        if not self.program.is_ready():
            return self.ended(*self.program.wait())
        self.use()
        self.sleep()
        return self.ended(*self.program.stop())

    def sleep(self):
        """Waits until no thread has run for a while."""
        last, same = None, 0

        def sleeps():
            nonlocal last, same
            try:
                tasks = Path(f"/proc/{self.program.process.pid}/task").glob("*/schedstat")
                now = sorted(task.read_text() for task in tasks)
            except OSError:  # a thread has ended
                now = None
            last, same = now, same + 1 if now == last else 0
            return same == 5 or self.program.has_ended()
        self.program.until(sleeps, "does not sleep")

    def ended(self, code, errors):
        """As serves()."""
        if code == 0 and len(errors) <= 1:
            return True
        if code in (1, 2) and len(errors) == 1 and errors[0].startswith(self.program.name + ": "):
            return False
        raise Failure(f"ends with code {code} and {len(errors)} lines: {errors[:3]}")


class ServerRun(Run):
    def use(self):
        try:
            self.echo_three()
        except socket.timeout:
            raise Hang("a client waits for ever") from None
        except OSError as error:
            raise Failure(f"it is ready and does not echo: {error}") from None

    def echo_three(self):
        with socket.create_connection(("127.0.0.1", self.program.ports[0]), HANG) as client:
            for text in (b"one", b"two", b"three"):
                client.sendall(text)
                if client.recv(len(text), socket.MSG_WAITALL) != text:
                    raise Failure("it is ready and does not echo")


class ClientRun(Run):
    def serves(self):
        return self.ended(*self.program.wait())


class Scene(inject_sms_router.Scene):
    def __init__(self, options, tls_files, make):
        self.make = make
        super().__init__(options, tls_files, "")

    def start(self, *_):
        return self.make(self.command)


class RouterRun(Run):
    def __init__(self, scene):
        super().__init__(scene.router)
        self.scene = scene

    def __exit__(self, *_):
        self.scene.__exit__()

    def use(self):
        scene = self.scene
        del self.program.ports[2:]  # of the status page
        scene.bind()
        text = scene.submit()
        scene.acknowledged([scene.smsc.receipt(text), scene.smsc.message(b"passed on")])
        scene.arrived()
        scene.unbind()


class EchoServer:
    program = "echo-server"

    def __init__(self, programs, selector):
        self.command = [str(programs / "echo-server"), "--port", "0", "--threads", "2", "--stall-limit",
                        "0", "--selector", selector]

    def start(self, make):
        """`make` gives the program for a command."""
        return ServerRun(make(self.command))


class EchoClient:
    program = "echo-client"

    def __init__(self, programs, selector):
        server = EchoServer(programs, selector).command
        self.server = Program(server)
        atexit.register(self.server.__exit__)
        self.server.must_be_ready()
        self.command = [str(programs / "echo-client"), "--port", str(self.server.ports[0]), "--threads",
                        "1", "--connections", "2", "--messages", "6", "--selector", selector]

    def start(self, make):
        return ClientRun(make(self.command))


class Router:
    program = "sms-router"

    def __init__(self, programs, selector):
        self.programs, self.selector = programs, selector
        self.tls_files = inject_sms_router.make_tls_files()

    def start(self, make):
        return RouterRun(Scene(self, self.tls_files, make))


KINDS = [EchoServer, EchoClient, Router]
NOT_LOADED = 127
STEP = 64 << 10


def asks_for_help(program, size, **environment):
    return subprocess.run(["prlimit", f"--as={size}", program, "--help"], capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)


def dies_in_the_loader(program, size):
    """Near its limit the loader itself may crash."""
    said = asks_for_help(program, size, LD_DEBUG="files").stderr
    return f"initialize program: {program}" not in said


def without_address_space(program):
    """Asks for its help with ever less of it; gives how many sizes were enough to load it."""
    enough = 0
    for size in itertools.count(24 << 20, -STEP):
        done = asks_for_help(program, size)
        if done.returncode == NOT_LOADED or (done.returncode < 0 and dies_in_the_loader(program, size)):
            return enough
        lines = done.stderr.splitlines()
        if done.returncode != 0 and (done.returncode != 1 or len(lines) != 1 or
                                     not lines[0].startswith(program.name + ": ")):
            raise Failure(f"with {size} bytes of it ends with code {done.returncode}: {lines[:3]}")
        enough += 1


def try_all(programs):
    """Whether all is well."""
    failed = 0
    for kind in KINDS:
        tried = kind(programs, "auto")
        for missing, prefix in SURROUNDINGS.items():
            made = Mute if missing == "standard output" else Program
            with tried.start(lambda command: made(command, prefix)) as run:
                try:
                    print(f"{kind.program} without {missing}:",
                          "serves" if run.serves() else "ends with a line", flush=True)
                except Failure as failure:
                    failed += 1
                    print(f"{kind.program} without {missing}: {failure}", flush=True)
        try:
            sizes = without_address_space(programs / kind.program)
            print(f"{kind.program} with ever less address space: a line each of {sizes} times",
                  flush=True)
        except Failure as failure:
            failed += 1
            print(f"{kind.program} with ever less address space: {failure}", flush=True)
    return failed == 0


def have_loopback_without_ipv6():
    switch = Path("/proc/sys/net/ipv6/conf/all/disable_ipv6")
    if switch.exists():
        switch.write_text("1")
    set_flags, up = 0x8914, 1  # SIOCSIFFLAGS, IFF_UP
    with socket.socket(type=socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh22x", b"lo", up))


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=folder_with(*(kind.program for kind in KINDS)))
    programs = parser.parse_args().programs
    if os.environ.get("NIO_IN_NAMESPACES") != "1":
        apart = ["unshare", "--map-root-user", "--net", "--mount"]
        if subprocess.run([*apart, "true"], check=False).returncode != 0:
            skip("no namespace may be made")
        os.execvpe(apart[0], [*apart, sys.executable, "-B", *sys.argv],
                   {**os.environ, "NIO_IN_NAMESPACES": "1"})
    have_loopback_without_ipv6()
    sys.exit(0 if try_all(programs) else 1)


if __name__ == "__main__":
    main()
