#!/usr/bin/env python3
"""Carries out a Dockerfile without a container engine, in chroots of a fresh Debian.

    container.py DOCKERFILE [PATH=FILE...]

Runs the steps of every stage, then the entry point: as process 1, as the image's user, with a network
of its own. The program must print a line when it is ready, pass the health check, fail it while
SIGSTOP stops the program, and exit with 0 after SIGTERM. FILE is put at PATH before the start, as
`docker run -v` does. The build context is the working directory. An instruction that the project's
Dockerfiles do not use is an error. Needs root, mmdebstrap and ip.
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MOUNT = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec "$@"'
START_LIMIT = 60
STOP_LIMIT = 60


def fail(what):
    sys.exit(f"container.py: {what}")


def instructions(text):
    """(name, arguments) of each instruction."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


class Stage:
    def __init__(self, root):
        self.root, self.folder, self.user = root, "/", "root"
        self.entry_point, self.health, self.health_timeout = [], [], "30s"

    def command(self, words):
        """The command line that runs `words` as the stage's user, in its root and folder."""
        return ["chroot", f"--userspec={self.user}:", self.root, "env", "-i", f"PATH={PATHS}", "sh",
                "-c", 'cd "$0" && exec "$@"', self.folder, *words]

    def inside(self, path):
        return Path(self.root, os.path.join(self.folder, path).lstrip("/"))


class Build:
    """The stages of a Dockerfile, as its instructions make them."""

    def __init__(self, scratch):
        self.scratch, self.stages, self.stage = scratch, {}, None

    def step(self, name, rest):
        method = getattr(self, "do_" + name.lower(), None)
        if method is None or (self.stage is None and name != "FROM"):
            fail(f"unexpected instruction: {name} {rest}")
        method(rest)

    def do_from(self, rest):
        match = re.fullmatch(r"debian:([a-z]+)(?:-slim)?(?: AS ([a-z]+))?", rest)
        if match is None:
            fail(f"unknown image: FROM {rest}")
        root = f"{self.scratch}/{len(self.stages)}"
        run(["mmdebstrap", "--quiet", "--variant=minbase", match[1], root])
        self.stage = self.stages[match[2] or root] = Stage(root)

    def do_run(self, rest):
        run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", MOUNT,
             self.stage.root, *self.stage.command(["sh", "-c", rest])])

    def do_copy(self, rest):
        words = shlex.split(rest)
        origin = words.pop(0).removeprefix("--from=") if rest.startswith("--from=") else None
        if len(words) != 2 or origin not in [None, *self.stages]:
            fail(f"unknown form: COPY {rest}")
        target = self.stage.inside(words[1])
        target.parent.mkdir(parents=True, exist_ok=True)
        if origin is not None:
            shutil.copy(self.stages[origin].inside(words[0]), target)
        elif words[0] == ".":
            ignored = {line.strip("/") for line in Path(".dockerignore").read_text().split()}
            shutil.copytree(".", target, symlinks=True, ignore=lambda folder, names: (
                ignored.intersection(names) if folder == "." else ()))
        else:
            fail(f"unknown form: COPY {rest}")

    def do_workdir(self, rest):
        self.stage.folder = rest
        self.stage.inside("").mkdir(parents=True, exist_ok=True)

    def do_user(self, rest):
        self.stage.user = rest

    def do_expose(self, rest):
        if not re.fullmatch(r"\d+( \d+)*", rest):
            fail(f"not ports: EXPOSE {rest}")

    def do_healthcheck(self, rest):
        match = re.fullmatch(r"((?:--[a-z-]+=\d+s\s+)*)CMD\s+(\[.*\])", rest)
        if match is None:
            fail(f"unknown form: HEALTHCHECK {rest}")
        options = dict(word[2:].split("=") for word in match[1].split())
        self.stage.health = json.loads(match[2])
        self.stage.health_timeout = options.get("timeout", "30s")

    def do_entrypoint(self, rest):
        self.stage.entry_point = json.loads(rest)


class Container:
    """The image of a stage, running."""

    def __init__(self, stage):
        self.stage = stage
        command = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "sh", "-c",
                   "ip link set lo up && " + MOUNT, stage.root, *stage.command(stage.entry_point)]
        self.unshare = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        text=True)

    def await_ready(self):
        timer = threading.Timer(START_LIMIT, self.unshare.kill)
        timer.start()
        line = self.unshare.stdout.readline()
        timer.cancel()
        if not line:
            fail(f"not ready: exit code {self.unshare.wait()}")

    def process(self):
        unshare = self.unshare.pid
        return int(Path(f"/proc/{unshare}/task/{unshare}/children").read_text())

    def is_healthy(self):
        words = ["timeout", "--signal=KILL", self.stage.health_timeout, *self.stage.health]
        enter = ["nsenter", f"--target={self.process()}", "--mount", "--pid", "--net"]
        done = subprocess.run(enter + self.stage.command(words), stderr=subprocess.DEVNULL)
        return done.returncode == 0

    def signal(self, number):
        os.kill(self.process(), number)


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        fail(f"exit code {done.returncode} of {shlex.join(command)}:\n{done.stdout[-4000:]}")


def try_image(stage):
    container = Container(stage)
    try:
        container.await_ready()
        if not container.is_healthy():
            fail("ready, but the health check fails")
        container.signal(signal.SIGSTOP)
        if container.is_healthy():
            fail("stopped, but the health check passes")
        container.signal(signal.SIGCONT)
        container.signal(signal.SIGTERM)
        code = container.unshare.wait(STOP_LIMIT)
        if code != 0:
            fail(f"exit code {code} after SIGTERM")
    except subprocess.TimeoutExpired:
        fail(f"still running {STOP_LIMIT} s after SIGTERM")
    finally:
        container.unshare.kill()


def main():
    dockerfile, *mounts = sys.argv[1:]
    if os.geteuid() != 0:
        fail("only root may change its root")
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        build = Build(scratch)
        for name, rest in instructions(Path(dockerfile).read_text(encoding="utf-8")):
            build.step(name, rest)
        stage = build.stage
        for mount in mounts:
            path, file = mount.split("=")
            stage.inside(path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, stage.inside(path))
        if not stage.entry_point or not stage.health:
            fail(f"{dockerfile}: no ENTRYPOINT or no HEALTHCHECK")
        try_image(stage)
    print(f"{dockerfile}: built; healthy as {stage.user}, unhealthy when it hangs, "
          "exit code 0 after SIGTERM")


main()
