"""The files and snippets of docs/router-operations.md, tried: operations_test.py CASE PROGRAMS ROOT

message:   docs/aggregator.toml takes a message of a customer by TLS to the first SMSC, and its receipt back.
scrape:    Prometheus takes the job, and its token opens /metrics. Without promtool only the token is tried.
logrotate: records are in the renamed file or in the new one.

Skipped (exit 77) without openssl, the last also without logrotate, unless NIO_REQUIRE_ALL=1. The
configuration is changed in its names of hosts and files and in its ports, nothing else.
"""
import contextlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
from router_programs import Router, Smsc  # noqa: E402

PATIENCE = 120
# And what they bind as.
CONNECTORS = {"north1": "aggregator", "north2": "aggregator", "south": "aggr-south",
              "transit": "aggr-transit"}
SKIPPED = 77
TOKEN = "a-token-of-this-test"
BIND_TRANSCEIVER, SUBMIT_SM, DELIVER_SM, RESPONSE = 0x9, 0x4, 0x5, 0x80000000


def replaced(text, old, new):
    assert old in text, f"not there any more: {old}"
    return text.replace(old, new)


def wait_until(is_so, what):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class TlsFront:
    """Takes TLS connections for a server that speaks plainly."""

    def __init__(self, folder, port):
        self._target = ("127.0.0.1", port)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        # Both ways in one thread: an SSL socket is for one at a time.
        with self._context.wrap_socket(client, server_side=True) as tls, \
                socket.create_connection(self._target) as plain:
            tls.settimeout(0.01)
            plain.settimeout(0.01)
            while self._moves(tls, plain) and self._moves(plain, tls):
                pass

    @staticmethod
    def _moves(source, sink):
        """False: the source has ended."""
        try:
            octets = source.recv(65536)
        except TimeoutError:
            return True
        sink.sendall(octets)
        return octets != b""


class Aggregator:
    """docs/aggregator.toml at work, in a folder of its own."""

    def __init__(self, programs, root, folder):
        self.folder = folder
        make_certificate(folder)
        # `tls = true` of a connector trusts the authorities of the system.
        os.environ["SSL_CERT_FILE"] = str(folder / "cert.pem")
        (folder / "token").write_text(TOKEN + "\n", encoding="utf-8")
        (folder / "token").chmod(0o600)
        (folder / "key.pem").chmod(0o600)
        with contextlib.ExitStack() as starting:
            self.smscs = {
                name: starting.enter_context(
                    Smsc(programs, ["--system-id", system_id, "--receipts", "requested"]))
                for name, system_id in CONNECTORS.items()
            }
            self.router = starting.enter_context(Router(programs, folder, self._config(root)))
            self._children = starting.pop_all()
        self.admin = self.router.wait_for_line(r"(http://127\.0\.0\.1:\d+)")[1]
        for name, smsc in self.smscs.items():
            smsc.wait_for_binds(2 if name == "transit" else 1)

    def _config(self, root):
        text = (root / "docs/aggregator.toml").read_text(encoding="utf-8")
        hosts = {"north1": "smsc1.north.example", "north2": "smsc2.north.example",
                 "south": "smpp.south.example"}
        for name, host in hosts.items():
            port = self.smscs[name].port
            text = replaced(text, f'host = "{host}"', f'host = "127.0.0.1"\nport = {port}')
        transit = TlsFront(self.folder, self.smscs["transit"].port).port
        text = replaced(text, 'host = "smpp.transit.example"\nport = 3550',
                        f'host = "127.0.0.1"\nport = {transit}')
        text = replaced(text, 'host = "0.0.0.0"\nport = 3550', 'host = "127.0.0.1"\nport = 0')
        text = replaced(text, "[admin]\n", "[admin]\nport = 0\n")
        text = replaced(text, "/etc/sms-router/token", str(self.folder / "token"))
        text = replaced(text, "/etc/sms-router/", f"{self.folder}/")
        text = replaced(text, "/var/log/sms-router/", f"{self.folder}/log/")
        (self.folder / "log").mkdir(mode=0o755)
        return replaced(text, 'path = "sms-router.db"', f'path = "{self.folder}/sms-router.db"')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._children.close()

    def metrics(self, token):
        """The status, and the text."""
        request = urllib.request.Request(self.admin + "/metrics")
        if token:
            request.add_header("Authorization", "Bearer " + token)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode("utf-8")
        except urllib.error.HTTPError as refusal:
            return refusal.code, ""


class Customer:
    """An ESME by TLS, bound as a transceiver."""

    def __init__(self, aggregator, system_id, password):
        context = ssl.create_default_context(cafile=aggregator.folder / "cert.pem")
        plain = socket.create_connection(("127.0.0.1", aggregator.router.port), timeout=PATIENCE)
        self._connection = context.wrap_socket(plain, server_hostname="127.0.0.1")
        body = system_id.encode() + b"\0" + password.encode() + b"\0" + b"\0\x34\0\0\0"
        self._send(BIND_TRANSCEIVER, 0, 1, body)
        assert self._next()[:3] == (BIND_TRANSCEIVER | RESPONSE, 0, 1)

    def _send(self, command, status, sequence, body):
        fields = (16 + len(body), command, status, sequence)
        self._connection.sendall(b"".join(field.to_bytes(4, "big") for field in fields) + body)

    def _octets(self, count):
        octets = b""
        while len(octets) < count:
            more = self._connection.recv(count - len(octets))
            assert more, "the router has closed the connection"
            octets += more
        return octets

    def _next(self):
        """command, status, sequence number, body"""
        length, *header = (int.from_bytes(self._octets(4), "big") for _ in range(4))
        return (*header, self._octets(length - 16))

    def submit(self, destination):
        """Sends a message, acknowledges its receipt, and returns its id."""
        body = (b"\0\1\1EXAMPLE\0\1\1" + destination.encode() + b"\0" + b"\0\0\0" + b"\0\0" + b"\1\0\0\0" +
                b"\5hello")
        self._send(SUBMIT_SM, 0, 2, body)
        command, status, _, answer = self._next()
        assert (command, status) == (SUBMIT_SM | RESPONSE, 0), (command, status)
        message_id = answer.rstrip(b"\0")
        command, _, sequence, receipt = self._next()
        assert command == DELIVER_SM and b"id:" + message_id in receipt, receipt
        self._send(DELIVER_SM | RESPONSE, 0, sequence, b"\0")
        return message_id.decode()


def snippet(root, first_line):
    """The indented block of docs/router-operations.md that begins so."""
    lines = (root / "docs/router-operations.md").read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("    " + first_line))
    block = []
    for line in lines[begin:]:
        if line and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block).rstrip() + "\n"


def check_message(aggregator, _):
    Customer(aggregator, "customer03", "secret03").submit("41791234567")
    accepted = {name: smsc.counts()["submits"] for name, smsc in aggregator.smscs.items()}
    assert accepted["north1"] + accepted["north2"] == 1, accepted
    assert accepted["south"] == accepted["transit"] == 0, accepted


def check_scrape(aggregator, root):
    job = snippet(root, "scrape_configs:")
    job = replaced(job, "/etc/prometheus/sms-router.token", str(aggregator.folder / "token"))
    job = replaced(job, "127.0.0.1:8775", aggregator.admin.removeprefix("http://"))
    if promtool := shutil.which("promtool"):
        (aggregator.folder / "prometheus.yml").write_text(job, encoding="utf-8")
        subprocess.run([promtool, "check", "config", aggregator.folder / "prometheus.yml"], check=True)
    assert aggregator.metrics(None)[0] == 401
    assert aggregator.metrics(TOKEN + "x")[0] == 401
    status, text = aggregator.metrics(TOKEN)
    assert status == 200 and "sms_router_connector_live{" in text, status


def ids_in(path):
    if not path.exists():
        return []
    return [json.loads(line)["message_id"] for line in path.read_text(encoding="utf-8").splitlines()]


def check_logrotate(aggregator, root):
    customer = Customer(aggregator, "customer03", "secret03")
    records = aggregator.folder / "log" / "records.jsonl"
    renamed = records.with_name("records.jsonl.1")
    rules = replaced(snippet(root, "/var/log/sms-router/records.jsonl {"),
                     "/var/log/sms-router/records.jsonl", str(records))
    rules = replaced(rules, "systemctl kill --kill-whom=main -s USR1 sms-router",
                     f"kill -USR1 {aggregator.router.pid}")
    path = aggregator.folder / "logrotate.conf"
    path.write_text(rules, encoding="utf-8")
    path.chmod(0o644)
    first = customer.submit("41791234567")
    wait_until(lambda: ids_in(records) == [first] * 2, "message and receipt are not in the file")
    state = ["--state", aggregator.folder / "logrotate.state"]
    subprocess.run([shutil.which("logrotate"), *state, "--force", path], check=True)
    wait_until(records.exists, "the file was not opened anew")
    second = customer.submit("41791234567")
    wait_until(lambda: ids_in(records) == [second] * 2, "they are not in the new file")
    assert ids_in(renamed) == [first] * 2, ids_in(renamed)


CASES = {"message": check_message, "scrape": check_scrape, "logrotate": check_logrotate}


def main():
    case, programs, root = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    os.environ["PATH"] += ":/usr/sbin"
    needed = {"logrotate": ["openssl", "logrotate"]}.get(case, ["openssl"])
    if missing := [program for program in needed if not shutil.which(program)]:
        print("skipped: no", *missing)
        sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else SKIPPED)
    with tempfile.TemporaryDirectory() as folder, \
            Aggregator(programs, root, Path(folder)) as aggregator:
        CASES[case](aggregator, root)


if __name__ == "__main__":
    main()
