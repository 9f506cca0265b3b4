#!/usr/bin/env python3
"""What TLS costs: an echo of echo-server against one of a bare epoll loop with OpenSSL.

CPU: each round starts both servers, one after the other, on CPU 0; the clients are on CPU 1. The
figure is the CPU time of the server, user and system, over the echoes behind the handshakes.
Instructions: as instructions.py counts them, of the user only.
"""
import argparse
import os
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from bench_plan import ours, peer
from experiment_run import Unmeasured
from instructions import READY, ROOT, START_SECONDS, echo_on, measure, summary
from router_programs import Program, Trouble

CONNECTIONS, WARM_UP = 50, 20


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin")
    parser.add_argument("--rounds", type=int, default=3, help="of CPU time")
    parser.add_argument("--echoes", type=int, default=1000, help="of each connection")
    parser.add_argument("--instructions", type=int, default=60, help="echoes; 0: not counted")
    return parser.parse_args()


def certificate(folder):
    """A file with a certificate and its key."""
    file = Path(folder) / "server.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=bench",
                    "-keyout", file, "-out", file.with_suffix(".crt")],
                   check=True, capture_output=True)
    with file.open("a", encoding="ascii") as both:
        both.write(file.with_suffix(".crt").read_text(encoding="ascii"))
    return str(file)


def connect(port, connections):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return [context.wrap_socket(socket.create_connection(("127.0.0.1", port), START_SECONDS))
            for _ in range(connections)]


def cpu_nanoseconds(pid):
    return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0])
               for task in Path(f"/proc/{pid}/task").iterdir())


def cpu_per_echo(server, echoes):
    """In microseconds."""
    command = [word.format(threads=1) for word in server.command]
    with Program(command, cpu=0, errors=subprocess.DEVNULL) as program:
        clients = connect(int(program.wait_for_line(READY, START_SECONDS)[1]), CONNECTIONS)
        echo_on(clients, WARM_UP)
        before = cpu_nanoseconds(program.process.pid)
        echo_on(clients, echoes)
        spent = cpu_nanoseconds(program.process.pid) - before
        program.stop()
    return spent / (CONNECTIONS * echoes) / 1000


def main():
    options = parse()
    os.sched_setaffinity(0, {1})
    try:
        with tempfile.TemporaryDirectory() as folder:
            pem = certificate(folder)
            bare = peer(options.bin, "tls", "bare epoll and OpenSSL", pem)
            servers = [replace(bare, name="tls"),
                       ours(options.bin, "nio-tls", "nio, epoll, TLS",
                            "--tls-cert", pem, "--tls-key", pem)]
            cpu = [[cpu_per_echo(server, options.echoes) for server in servers]
                   for _ in range(options.rounds)]
            for name, each in zip((server.label for server in servers), zip(*cpu)):
                print(f"{name:24} {statistics.median(each):6.2f} us of CPU for an echo")
            ratio = statistics.median(ours_ / bare for bare, ours_ in cpu)
            print(f"{'ratio, median of pairs':24} {ratio:6.3f}", flush=True)
            if options.instructions:
                measured = [measure(server, options.instructions, lambda port, connections, rounds:
                                    echo_on(connect(port, connections), rounds))
                            for server in servers]
                print("\n".join(summary(measured)))
                for server in measured:
                    print(server["label"])
                    print("\n".join(f"  {row['perEcho']:9.1f} {row['name']}"
                                    for row in server["functions"][:25]))
    except (Unmeasured, Trouble, OSError) as reason:
        sys.exit(f"tls_cost: {reason}")


if __name__ == "__main__":
    main()
