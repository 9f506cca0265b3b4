#!/usr/bin/env python3
"""What a message costs sms-router by HTTP, beside the same message by SMPP, and Kannel.

Each round starts, for each way, an SMSC of smpp-bench and a router with one dispatcher on CPU 0; the
load is on CPU 1: smpp-bench for SMPP, h2load for HTTP with connections that stay open. The figure is
the CPU time of the router, user and system, over the messages behind the warm-up. --kannel adds
Kannel's sendsms (bearerbox and smsbox, without a log) in the router's place, which must be installed.
Exit 1 if an answer is wrong.
"""
import argparse
import hashlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from instructions import ROOT
from router_bench import host
from router_programs import PATIENCE_SECONDS, Program, Router, Smsc, Trouble, router_config
from tls_cost import cpu_nanoseconds

sys.path.append(str(ROOT / "tests/interop"))
from kannel_checks import Kannel  # noqa: E402

BINDS, WARM_UP, TEXT = 4, 2000, "x" * 120
KEY = "nio_bench"
HTTP_LINE = r"^sms-router takes HTTP at (http://\S+)$"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--messages", type=int, default=100_000, help="of each round and way")
    parser.add_argument("--connections", type=int, default=50, help="of clients, of each way")
    parser.add_argument("--kannel", action="store_true", help="beside Kannel's sendsms")
    return parser.parse_args()


def config_with_door(folder, smsc_port):
    config = router_config(folder, smsc_port, durability="memory", transceivers=BINDS)
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    account = "[account.esme1]\n"
    return config.replace(account, f'{account}api_keys = ["sha256:{digest}"]\n') + \
        "\n[http]\nport = 0\n"


def body_of(messages):
    message = {"from": "12345", "to": "4670000000", "text": TEXT}
    return message if messages == 1 else {"messages": [message] * messages}


def send_by_smpp(options, router, messages):
    command = [options.bin / "smpp-bench", "esme", "--port", router.port, "--binds",
               options.connections, "--window", 100, "--messages", messages, "--payload-octets",
               len(TEXT), "--json"]
    with Program(command, 1) as esme:
        esme.wait()
        said = json.loads(esme.lines[-1])
    if said["complaints"]:
        raise Trouble(f"SMPP: {'; '.join(said['complaints'])}")


def send_by_http(options, router, messages, in_a_request, folder):
    body = Path(folder) / "body.json"
    body.write_text(json.dumps(body_of(in_a_request)), encoding="utf-8")
    requests = max(messages // in_a_request, options.connections)
    load_by_http(options, requests, "-d", str(body), "-H", "content-type: application/json", "-H",
                 f"authorization: Bearer {KEY}", router.wait_for_line(HTTP_LINE)[1])
    return requests * in_a_request


def load_by_http(options, requests, *more):
    command = ["taskset", "-c", "1", "h2load", "--h1", "-t", "1", "-c", str(options.connections),
               "-n", str(requests), *more]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
                         check=False)
    good = re.search(r"^status codes: (\d+) 2xx", ran.stdout, re.MULTILINE)
    if not good or int(good[1]) != requests:
        raise Trouble(f"HTTP: {ran.stdout}{ran.stderr}")


def kannel_cpu_per_message(options, folder):
    """In microseconds."""
    with tempfile.TemporaryDirectory(dir=folder) as own, Smsc(options.bin, cpu=1) as smsc, \
            Kannel(Path(own), smsc.port, ("router", "secret"), 1, log_level=4, cpu=0) as kannel:
        query = urlencode({"username": "interop", "password": "interop", "from": "12345",
                           "to": "4670000000", "text": TEXT})
        url = f"http://127.0.0.1:{kannel.sendsms}/cgi-bin/sendsms?{query}"
        load_by_http(options, WARM_UP, url)
        kannel.wait_sent(WARM_UP)
        before = sum(map(cpu_nanoseconds, kannel.pids))
        load_by_http(options, options.messages, url)
        kannel.wait_sent(WARM_UP + options.messages)
        return (sum(map(cpu_nanoseconds, kannel.pids)) - before) / options.messages / 1000


def ways(options, folder):
    """(name, send): send(router, messages) gives how many it has sent."""
    def smpp(router, messages):
        send_by_smpp(options, router, messages)
        return messages

    yield "SMPP", smpp
    for count in (1, 100):
        yield (f"HTTP, {count} in a request",
               lambda router, messages, count=count:
               send_by_http(options, router, messages, count, folder))


def cpu_per_message(options, folder, send):
    """In microseconds."""
    if send is None:
        return kannel_cpu_per_message(options, folder)
    with Smsc(options.bin, cpu=1) as smsc:
        config = config_with_door(folder, smsc.port)
        with Router(options.bin, folder, config, cpu=0) as router:
            smsc.wait_for_binds(BINDS)
            send(router, WARM_UP)
            before = cpu_nanoseconds(router.pid)
            sent = send(router, options.messages)
            return (cpu_nanoseconds(router.pid) - before) / sent / 1000


def main():
    options = parse()
    try:
        with tempfile.TemporaryDirectory() as folder:
            each = list(ways(options, folder))
            if options.kannel:
                each.append(("Kannel, 1 in a request", None))
            rounds = [[cpu_per_message(options, folder, send) for _, send in each]
                      for _ in range(options.rounds)]
    except (Trouble, OSError, subprocess.TimeoutExpired) as reason:
        sys.exit(f"door_cost: {reason}")
    print(host())
    first = [figures[0] for figures in rounds]
    for (name, _), figures in zip(each, zip(*rounds)):
        ratio = statistics.median(one / smpp for one, smpp in zip(figures, first))
        print(f"{name:24} {statistics.median(figures):6.2f} us of CPU for a message, {ratio:5.2f}")


if __name__ == "__main__":
    main()
