"""Kannel as an ESME: from its HTTP interface through the router to an SMSC, and back."""
import contextlib
import http.server
import re
import shutil
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from checks import Checks
from router_programs import Program, Smsc, Trouble
from surroundings import start_router

PATIENCE_SECONDS = 30
ACCEPTED_BY_SMSC, DELIVERED = "8", "1"
LONG_TEXT = "A long message that needs several parts. " * 9
CYRILLIC = "Привет, мир"

CONFIGURATION = """
group = core
admin-port = {admin}
admin-password = interop
admin-deny-ip = "*.*.*.*"
admin-allow-ip = "127.0.0.1"
smsbox-port = {smsbox}
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
log-file = "{folder}/bearerbox.log"
log-level = {log_level}

group = smsc
smsc = smpp
smsc-id = router
host = 127.0.0.1
port = {router}
transceiver-mode = true
smsc-username = {username}
smsc-password = {password}
system-type = ""
enquire-link-interval = 2
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = {smsbox}
sendsms-port = {sendsms}
log-file = "{folder}/smsbox.log"
log-level = {log_level}

group = sendsms-user
username = interop
password = interop
concatenation = true
max-messages = 10

group = sms-service
keyword = default
get-url = "http://127.0.0.1:{http}/mo?from=%p&to=%P&text=%a"
max-messages = 0
catch-all = true
"""


class Callbacks:
    """A tiny HTTP server that remembers what it was asked."""

    def __init__(self):
        self.asked = []
        self._news = threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer._remember(self.path)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _remember(self, path):
        url = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(url.query))
        with self._news:
            self.asked.append((url.path, query))
            self._news.notify_all()

    def matching(self, path, **query):
        return [
            asked
            for where, asked in self.asked
            if where == path and query.items() <= asked.items()
        ]

    def wait(self, count, path, **query):
        with self._news:
            return self._news.wait_for(
                lambda: len(self.matching(path, **query)) >= count, PATIENCE_SECONDS
            )

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Kannel:
    def __init__(self, folder, router_port, account, http_port, log_level=0, cpu=None):
        self.admin, self.smsbox, self.sendsms = free_ports(3)
        self.http = http_port
        self._cpu = cpu
        self._folder = folder
        self._configuration = folder / "kannel.conf"
        self._configuration.write_text(
            CONFIGURATION.format(
                folder=folder,
                router=router_port,
                username=account[0],
                password=account[1],
                admin=self.admin,
                smsbox=self.smsbox,
                sendsms=self.sendsms,
                http=http_port,
                log_level=log_level,
            ),
            encoding="utf-8",
        )
        self._boxes = []

    def __enter__(self):
        self._start("bearerbox")
        self.wait_status("online")
        self._start("smsbox")
        self._await("smsbox", lambda: self._answers(f"http://127.0.0.1:{self.sendsms}/"))
        return self

    def __exit__(self, *_):
        for box in reversed(self._boxes):
            box.kill()

    def _start(self, box):
        path = shutil.which(box) or f"/usr/sbin/{box}"
        with open(self._folder / f"{box}.errors", "wb") as errors:
            program = Program([path, self._configuration], self._cpu, errors, self._folder)
        self._boxes.append(program)

    def stop(self):
        """Their exit codes: smsbox first."""
        return [box.stop() for box in reversed(self._boxes)]

    @property
    def pids(self):
        return [box.pid for box in self._boxes]

    def wait_status(self, word):
        self._await(f"a link that is {word}", lambda: f"({word}" in self._status())

    def wait_sent(self, count):
        """So many messages have been sent since its start, and none waits."""
        def holds():
            sent = re.search(r"SMS: .*sent (\d+) \(0 queued\)", self._status())
            return sent and int(sent[1]) >= count
        self._await(f"{count} messages sent", holds)

    def _status(self):
        return self._answers(f"http://127.0.0.1:{self.admin}/status.txt?password=interop")

    def _answers(self, url):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            return str(error)
        except OSError:
            return ""

    def _await(self, what, holds):
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            if time.monotonic() > end:
                raise Trouble(f"Kannel: {what}: {PATIENCE_SECONDS} s are over\n{self._log()}")
            time.sleep(0.05)

    def _log(self):
        log = Path(self._folder / "bearerbox.log")
        return "".join(log.open(encoding="utf-8", errors="replace").readlines()[-15:])

    def send(self, tag, text, **more):
        """Kannel's answer to an HTTP sendsms, whose reports come to /dlr with this tag."""
        report = f"http://127.0.0.1:{self.http}/dlr?tag={tag}&type=%d&id=%F"
        fields = {
            "username": "interop",
            "password": "interop",
            "from": "12345",
            "to": "46701234567",
            "text": text,
            "dlr-mask": "31",
            "dlr-url": report,
            **more,
        }
        query = urllib.parse.urlencode(fields)
        url = f"http://127.0.0.1:{self.sendsms}/cgi-bin/sendsms?{query}"
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
            return answer.read().decode()


def check_message(checks, kannel, callbacks, tag, text, **more):
    said = kannel.send(tag, text, **more)
    checks.check(f"{tag}: sendsms is accepted", said.startswith("0: Accepted"), said)
    for kind, name in ((ACCEPTED_BY_SMSC, "the answer"), (DELIVERED, "the receipt")):
        callbacks.wait(1, "/dlr", tag=tag, type=kind)
        times = len(callbacks.matching("/dlr", tag=tag, type=kind))
        checks.equal(f"{tag}: {name} comes back as one report", times, 1)
    other = [
        query
        for query in callbacks.matching("/dlr", tag=tag)
        if query["type"] not in (ACCEPTED_BY_SMSC, DELIVERED)
    ]
    checks.equal(f"{tag}: no other report comes", other, [])


def check_mo(checks, callbacks):
    callbacks.wait(3, "/mo", to="12345")
    got = callbacks.matching("/mo", to="12345")
    checks.check("MO for 12345 reaches Kannel's service", len(got) >= 3, got)
    whole = all(query.get("text", "").startswith("nio-bench ") for query in got)
    checks.check("with its text", whole, got[:3])


def check_kannel(surroundings):
    checks = Checks("kannel")
    options = surroundings.smsc_options("--mo", "5", "--id-form", "hex")
    with contextlib.ExitStack() as stack:
        callbacks = Callbacks()
        stack.callback(callbacks.close)
        smsc = stack.enter_context(Smsc(surroundings.programs, options))
        router = stack.enter_context(start_router(surroundings, smsc.port))
        if not surroundings.direct:
            smsc.wait_for_binds(2)
        kannel = Kannel(surroundings.folder(), router.port, ("esme1", "secret1"), callbacks.port)
        stack.enter_context(kannel)
        checks.told("bearerbox is bound, smsbox listens")
        check_message(checks, kannel, callbacks, "plain", "Hello through the router")
        check_message(checks, kannel, callbacks, "long", LONG_TEXT)
        unicode = {"coding": "2", "charset": "utf-8"}
        check_message(checks, kannel, callbacks, "unicode", CYRILLIC, **unicode)
        check_mo(checks, callbacks)
        time.sleep(3)  # enquire_link is due every 2 s
        kannel.wait_status("online")
        checks.equal("both boxes end well", kannel.stop(), [0, 0])
        if not surroundings.direct:
            checks.equal("the router ends well", router.stop(), 0)
        counts = smsc.stop_and_count()
        checks.equal("the SMSC saw each part once", counts["submits"], 5)
        checks.equal("no PDU was malformed for the SMSC", counts["malformed"], 0)
        if surroundings.direct:
            checks.check("Kannel asked for the link", counts["enquire_links"] > 0)
    return checks


def run(surroundings):
    return [check_kannel(surroundings)]
