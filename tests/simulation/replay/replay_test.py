"""Flights of a real echo-server, played again by flight-replay.

    replay_test.py PROGRAMS same|planted

A small load (answers at once, large, taken late; ends by FIN and by RST) and SIGUSR1. same: on the
simulated kernel the library does the same, also where the ring has gone round, where the dump was
made inside a turn, and after a crash. planted: a dump in which it did something else is told apart.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from command_line import Parser, folder_with  # noqa: E402

PATIENCE = 240
RESET = b"\1\0\0\0\0\0\0\0"  # struct linger: on, no time


class NotStarted(Exception):
    pass


def take(client, size):
    while size > 0:
        part = client.recv(min(size, 65536))
        assert part, "ended too early"
        size -= len(part)


def fill(client):
    """Sends until the answers that nobody takes are in the way."""
    client.setblocking(False)
    sent, last = 0, time.monotonic()
    while time.monotonic() - last < 0.2:
        try:
            sent += client.send(b"z" * 65536)
            last = time.monotonic()
        except BlockingIOError:
            pass
    client.settimeout(PATIENCE)
    return sent


def end(client):
    client.shutdown(socket.SHUT_WR)
    assert client.recv(1) == b""
    client.close()


def in_one_turn(process, clients):
    """What all of them ask for while the server is stopped it finds at once."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    for client in clients:
        client.sendall(b"together")
    process.send_signal(signal.SIGCONT)
    for client in clients:
        take(client, 8)


def load(process, port):
    clients = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(8)]
    for size in (1, 100, 70_000, 300_000):
        for client in clients:
            client.sendall(b"x" * size)
        for client in clients:
            take(client, size)
    late = clients.pop()
    take(late, fill(late))
    end(late)
    for client in clients[:3]:
        end(client)
    clients[3].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    clients[3].close()
    clients[4].sendall(b"y" * 200_000)
    clients[4].shutdown(socket.SHUT_WR)
    take(clients[4], 200_000)
    late = socket.create_connection(("127.0.0.1", port), PATIENCE)
    late.sendall(b"one more")
    take(late, 8)
    stay = clients[5:] + [late]
    in_one_turn(process, stay)
    return stay


def await_dump(file):
    until = time.monotonic() + PATIENCE
    while not (file.exists() and file.read_text().endswith("nio-flight end\n")):
        assert time.monotonic() < until, "no dump"
        time.sleep(0.01)


def recorded(server, file, *arguments, by=signal.SIGUSR1):
    command = [server, "--port", "0", "--selector", "epoll", "--flight-file", file,
               "--stall-limit", "0", *arguments]  # one dump: it is stopped on the way
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            ready = re.search(r"listening on \S+:(\d+)", process.stdout.readline())
            if ready is None:
                raise NotStarted("echo-server does not start")
            port = int(ready[1])
            clients = load(process, port)
            process.send_signal(by)
            await_dump(file)
            for client in clients:
                client.close()
        finally:
            process.terminate()
    return file.read_text()


def replayed(replay, file, text):
    file.write_text(text)
    result = subprocess.run([replay, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=PATIENCE)
    return result.returncode, result.stdout


def check_same(replay, file, text):
    code, said = replayed(replay, file, text)
    assert code == 0 and ": the same" in said and "not the same" not in said, said + text
    callbacks = sum(map(int, re.findall(r"(\d+) callbacks", said)))
    assert callbacks >= text.count(" handleRead ") / 2 > 0, said
    return said


def turn_of_several(lines):
    return max(i for i, line in enumerate(lines) if " turn number " in line
               and all(" handleRead slot" in later for later in lines[i + 1:i + 3]))


def cut(lines):
    """As if the dump had been made inside the first callback of a turn that has several."""
    lines = [line.replace(" selects tasks", " works tasks") for line in lines]
    return lines[:turn_of_several(lines) + 2] + lines[-1:]


def check_cut(replay, file, text):
    lines = cut(text.splitlines(keepends=True))
    said = check_same(replay, file, "".join(lines))
    number = lines[-2].split()[0]
    assert f"  its last turn as far as it went: record {number}, handleRead of " in said, said
    for part in ("in 8 out 0", "in 0 out 0"):  # not yet sent, not yet read
        lines[-2] = re.sub(r"in \d+ out \d+", part, lines[-2])
        check_same(replay, file, "".join(lines))
    lines[-2] = lines[-2].replace("handleRead", "handleWrite")
    code, said = replayed(replay, file, "".join(lines))
    assert code == 1 and f"  record {number}: recorded handleWrite" in said, said


def check_again(replay, file, text):
    """A turn that goes on after something inside it is the same turn."""
    lines = text.splitlines(keepends=True)
    turn = turn_of_several(lines)
    lines.insert(turn + 2, lines[turn].replace(" turn ", " turn again "))
    said = check_same(replay, file, text)
    assert check_same(replay, file, "".join(lines)) == said


def planted(lines, pattern, change):
    """The dump with the first line changed that the pattern is found in."""
    for i, line in enumerate(lines):
        if re.search(pattern, line):
            return "".join(lines[:i] + change(line) + lines[i + 1:])
    raise AssertionError("no line like " + pattern)


def check_different(replay, file, text):
    lines = text.splitlines(keepends=True)
    plants = {
        "an answer that is too long": (
            r"handleRead .* in 100 out 100$", lambda line: [line.replace("out 100", "out 101")]),
        "an end that did not come": (r" ended ", lambda line: []),
        "a callback that nobody asked for": (
            r"handleRead .* in 100 out 100$",
            lambda line: [line, line.replace("handleRead", "handleWrite").replace("100", "0")]),
    }
    for what, (pattern, change) in plants.items():
        changed = planted(lines, pattern, change)
        code, said = replayed(replay, file, changed)
        assert code == 1 and "not the same" in said, (what, said)
        assert "  record " in said or "after the last record" in said, (what, said)


PACKETS = """nio-flight 1 signal process 1
dispatcher a selects tasks 0
1 0 turn number 1 events 1 in 0 out 0
2 5 handleRead slot 2 fd 8 handler N3nio8PipelineIJNS_3RawE4EchoEEE in 4 out 4
nio-flight end
"""


def check_broken(replay, file):
    for broken, why in (("", "no line 'nio-flight end'"), ("x\n", "no line 'nio-flight end'"),
                        ("nio-flight 1 signal process 1\ndispatcher a works tasks 0\n", "no line"),
                        (PACKETS, "only --framing raw")):
        code, said = replayed(replay, file, broken)
        assert code == 2 and why in said and said.count("\n") == 1, said


def play(server, replay, wanted):
    ways = [["--threads", "1"], ["--threads", "2"], ["--threads", "1", "--flight-records", "64"]]
    with tempfile.TemporaryDirectory() as folder:
        file, copy = Path(folder) / "flight", Path(folder) / "copy"
        if wanted == "planted":
            check_different(replay, copy, recorded(server, file, *ways[0]))
            return check_broken(replay, copy)
        texts = []
        for arguments in ways:
            file.unlink(missing_ok=True)
            texts.append(recorded(server, file, *arguments))
            print(" ".join(arguments), check_same(replay, copy, texts[-1]), sep="\n", end="")
        check_cut(replay, copy, texts[0])
        check_again(replay, copy, texts[0])
        file.unlink()
        check_same(replay, copy, recorded(server, file, *ways[0], by=signal.SIGSEGV))


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=folder_with("echo-server", "flight-replay"),
                        help="the folder that they are in")
    parser.add_argument("wanted", choices=["same", "planted"], help="what is played again")
    options = parser.parse_args()
    try:
        play(options.programs / "echo-server", options.programs / "flight-replay", options.wanted)
    except NotStarted as error:
        parser.error(error)


if __name__ == "__main__":
    main()
