#!/usr/bin/env python3
"""User instructions of an echo, by callgrind: echo-server against the bare epoll loop. And its path:
the functions of the project that one echo calls in a build without optimisation.

Each server runs under callgrind twice with the same connections: a few echoes, and many. The
difference of the counts over the difference of the echoes is exact, whatever else the machine does,
but for how many connections a turn finds ready. Inlined functions are told apart where the program
has debug information (make bench builds it so).
"""
import argparse
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_plan import every_server
from experiment_run import Unmeasured
from router_programs import Program, Trouble

ROOT = Path(__file__).resolve().parents[2]
READY = r"listening on 127\.0\.0\.1:(\d+) "
START_SECONDS = 60  # valgrind takes its time
SIZE = 64
FEW, MANY = 20, 420  # rounds of echoes
CONNECTIONS = (1, 50)
FUNCTIONS = 200
PATH_CONNECTIONS, PATH_ROUNDS = 50, 60
# A function belongs to the path if it is called this often per echo: what a turn calls once does.
PART_OF_PATH = 1 / PATH_CONNECTIONS / 2
# "1,234 (12.3%)  file:function [object]"; older ones have no percentage.
ROW = re.compile(r"^\s*([\d,]+)(?:\s+\(\s*[\d.]+%\))?\s+(\S.*?)(?:\s+\[[^\]]*\])?\s*$")
TOTAL = re.compile(r"^\s*([\d,]+)(?:\s+\(\s*[\d.]+%\))?\s+PROGRAM TOTALS")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="where the peers are")
    parser.add_argument("--server", type=Path, default=ROOT / "build/profile/bin/echo-server",
                        help="an echo-server with debug information")
    parser.add_argument("--path-server", type=Path,
                        default=ROOT / "build/debug/bin/echo-server",
                        help="an echo-server without optimisation, for the path of an echo")
    parser.add_argument("--servers", default="epoll,nio-epoll")
    parser.add_argument("--rounds", type=int, default=MANY, help=f"of echoes, beyond {FEW}")
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench/instructions.json")
    return parser.parse_args()


# --- what callgrind_annotate prints --------------------------------------------------------------


def count_of(text):
    return int(text.replace(",", ""))


def plain(name):
    """'/long/way/Name.h:ns::Class::call(int)'12' without the way, the parameters and the number of
    a recursion. Inlined code stands under the file that it is from."""
    file, _, function = name.partition(":")
    function = without_parameters(re.sub(r"'\d+$", "", function))
    short = file.rsplit("/", 1)[-1]
    return function if short == "???" else f"{short}: {function}"


def without_parameters(function):
    depth, kept = 0, []
    for letter in function:
        depth += letter in "(<"
        if depth == 0:
            kept.append(letter)
        depth -= letter in ")>"
    return "".join(kept).strip() or function


def parse_annotation(text):
    """Total, and the count of each function."""
    total, functions = 0, {}
    for line in text.splitlines():
        if match := TOTAL.match(line):
            total = count_of(match[1])
        elif (match := ROW.match(line)) and ":" in match[2]:
            name = plain(match[2])
            functions[name] = functions.get(name, 0) + count_of(match[1])
    return total, functions


def per_echo(few, many, echoes):
    """Of two (total, functions): what one echo takes, the largest first."""
    each = {name: (count - few[1].get(name, 0)) / echoes for name, count in many[1].items()}
    largest = sorted(each.items(), key=lambda item: -item[1])[:FUNCTIONS]
    functions = [{"name": name, "perEcho": round(count, 2)} for name, count in largest
                 if count >= 0.05]
    return (many[0] - few[0]) / echoes, functions


# --- what callgrind writes: who calls whom -------------------------------------------------------

NAMED = re.compile(r"(fl|fi|fe|fn|cfi|cfl|cfn)=\((\d+)\)(?: (.*))?$")


def calls_of(lines):
    """How often each function was called: {(file, function): calls}. Callgrind writes a name once,
    and its number from then on; a callee without a file is in the file where the call stands."""
    names, calls, file, callee_file, callee = {}, {}, "", None, ""
    for line in lines:
        if match := NAMED.match(line):
            key = (match[1][-2:] == "fn", match[2])
            name = names.setdefault(key, match[3])
            if match[1] in ("fl", "fi", "fe"):
                file = name
            elif match[1] in ("cfi", "cfl"):
                callee_file = name
            elif match[1] == "cfn":
                callee = (callee_file or file, re.sub(r"'\d+$", "", name))
                callee_file = None
        elif line.startswith("calls="):
            count = int(line[len("calls="):].split()[0])
            calls[callee] = calls.get(callee, 0) + count
    return calls


def path_of(few, many, echoes, root):
    """Of two calls_of(): the functions of lib and apps that one echo calls, and how often."""
    ours = tuple(f"{root}/{folder}/" for folder in ("lib", "apps"))
    each = {key: (count - few.get(key, 0)) / echoes for key, count in many.items()
            if key[0].startswith(ours)}
    return {key: count for key, count in each.items() if count >= PART_OF_PATH}


# --- doing it ------------------------------------------------------------------------------------


def echo(port, connections, rounds):
    """All of them send, then all are read: so many rounds."""
    echo_on([socket.create_connection(("127.0.0.1", port), 30) for _ in range(connections)], rounds)


def echo_on(clients, rounds):
    message = bytes(range(SIZE))
    for _ in range(rounds):
        for client in clients:
            client.sendall(message)
        for client in clients:
            answer = b""
            while len(answer) < SIZE and (part := client.recv(SIZE)):
                answer += part
            if answer != message:
                raise Unmeasured("an answer was wrong")


def run(server, connections, rounds, folder, talk=echo):
    """The file that callgrind has written."""
    out = Path(folder) / f"callgrind.{server.name}.{connections}.{rounds}"
    words = [word.format(threads=1) for word in server.command]
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *words]
    try:
        with Program(command, errors=subprocess.DEVNULL) as program:
            port = int(program.wait_for_line(READY, START_SECONDS)[1])
            talk(port, connections, rounds)
            program.stop()
    except (Trouble, OSError) as trouble:
        raise Unmeasured(f"{server.name} under callgrind: {trouble}") from None
    return out


def counted(server, connections, rounds, folder, talk=echo):
    out = run(server, connections, rounds, folder, talk)
    annotated = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", str(out)],
                               capture_output=True, text=True, check=True)
    return parse_annotation(annotated.stdout)


def measure(server, rounds, talk=echo):
    counts, functions = [], []
    with tempfile.TemporaryDirectory() as folder:
        for connections in CONNECTIONS:
            few = counted(server, connections, FEW, folder, talk)
            many = counted(server, connections, FEW + rounds, folder, talk)
            count, functions = per_echo(few, many, connections * rounds)
            counts.append(round(count, 1))
    return {"name": server.name, "label": server.label, "perEcho": counts, "functions": functions}


def measure_path(server):
    with tempfile.TemporaryDirectory() as folder:
        few, many = (calls_of(run(server, PATH_CONNECTIONS, rounds, folder)
                              .read_text(encoding="utf-8", errors="replace").splitlines())
                     for rounds in (FEW, FEW + PATH_ROUNDS))
    return path_of(few, many, PATH_CONNECTIONS * PATH_ROUNDS, ROOT)


# --- what it tells -------------------------------------------------------------------------------


def path_report(program):
    """The functions of the path, the most called first; empty where the program is not built."""
    if not program.exists():
        print(f"Path of one echo: left out: {program} is not built")
        return []
    server = next(server for server in every_server(program.parent) if server.name == "nio-epoll")
    path = measure_path(server)
    print("\n".join(summary_of_path(server.label, path)), flush=True)
    return [{"file": str(Path(file).relative_to(ROOT)), "name": name, "calls": round(count, 2)}
            for (file, name), count in sorted(path.items(), key=lambda item: -item[1])]


def summary(measured):
    lines = [f"User instructions of the server for one echo of {SIZE} B, optimised (-O2, at link "
             "time, too):"]
    width = max(len(server["label"]) for server in measured)
    for server in measured:
        each = (f"{count:6,.0f} with {connections} connection{'s'[:connections > 1]}"
                for connections, count in zip(CONNECTIONS, server["perEcho"]))
        lines.append(f"  {server['label']:{width}} {', '.join(each)}")
    return lines


def summary_of_path(label, path):
    files = {file for file, _ in path}
    shared = sum(count < 0.5 for count in path.values())
    return [f"Path of one echo of {SIZE} B, not optimised (-O0), {PATH_CONNECTIONS} connections, "
            "functions of lib and apps only:",
            f"  {label} {len(path)} functions ({shared} of them only once per turn of the loop), "
            f"{sum(path.values()):.0f} calls, {len(files)} files"]


def main():
    options = parse()
    if not shutil.which("valgrind"):
        sys.exit("instructions: left out: valgrind is not installed")
    servers = {server.name: server for server in every_server(options.bin)}
    profiled = {server.name: server for server in every_server(options.server.parent)}
    wanted = [profiled[name] if servers[name].ours and options.server.exists() else servers[name]
              for name in options.servers.split(",")]
    try:
        measured = [measure(server, options.rounds) for server in wanted]
        print("\n".join(summary(measured)), flush=True)
        path = path_report(options.path_server)
    except Unmeasured as reason:
        sys.exit(f"instructions: {reason}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({
        "size": SIZE, "connections": list(CONNECTIONS),
        "echoes": options.rounds * CONNECTIONS[-1], "servers": measured, "path": path},
        indent=1) + "\n", encoding="utf-8")
    print(f"All functions: {options.out}")


if __name__ == "__main__":
    main()
