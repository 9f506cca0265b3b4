"""curl, Python's requests and node as applications that send by HTTP, with receipts by webhook."""
import base64
import contextlib
import http.server
import json
import subprocess
import threading
import time
from pathlib import Path

import requests

from checks import Checks
from router_programs import Router, Smsc

HERE = Path(__file__).parent
CURL, PYTHON, NODE = 1000, 3000, 6000
BATCH = 10  # messages in a request of Python's
PATIENCE_SECONDS = 240
AUTHORIZATION = "Basic " + base64.b64encode(b"shop:secret").decode()
CONFIG = """
[listener.esme]
port = 0
[connector.one]
host = "127.0.0.1"
port = {one}
system_id = "router"
password = "secret"
[connector.two]
host = "127.0.0.1"
port = {two}
system_id = "router"
password = "secret"
[group.both]
tiers = [["one", "two"]]
[[route]]
group = "both"
[account.shop]
password = "secret"
keep_messages = 100000
[account.shop.webhook]
url = "http://127.0.0.1:{hook}/"
secret = "whsec"
[store]
path = "{folder}/router.db"
[http]
port = 0
"""


class Hook:
    """Takes every event."""

    def __init__(self):
        self.receipts = []
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                event = json.loads(self.rfile.read(length))
                hook.receipts.append((event["id"], event["state"]))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait_for(self, count):
        end = time.monotonic() + PATIENCE_SECONDS
        while len(self.receipts) < count and time.monotonic() < end:
            time.sleep(0.05)


def message(number, text):
    return {"from": "Shop", "to": f"+41792{number:06}", "text": text, "receipt": True}


def by_curl(url, folder):
    """One curl, which keeps its connection."""
    lines = []
    for number in range(CURL):
        body = json.dumps(json.dumps(message(number, "from curl")))
        lines += [f'url = "{url}"', f'header = "Authorization: {AUTHORIZATION}"',
                  'header = "Content-Type: application/json"', f"data = {body}",
                  'write-out = "%{http_code}\\n"', "next"]
    script = folder / "curl.txt"
    script.write_text("\n".join(lines[:-1]))
    said = subprocess.run(["curl", "--silent", "--config", script], check=True, text=True,
                          capture_output=True, timeout=PATIENCE_SECONDS).stdout.split("\n")
    return [json.loads(answer)["id"] for answer, status in zip(said[::2], said[1::2])
            if status == "202"]


def by_python(url):
    ids = []
    with requests.Session() as session:
        session.headers["Authorization"] = AUTHORIZATION
        for first in range(0, PYTHON, BATCH):
            batch = [message(first + i, "from Python") for i in range(BATCH)]
            answer = session.post(url, json={"messages": batch}, timeout=PATIENCE_SECONDS)
            if answer.status_code == 202:
                ids += [result["id"] for result in answer.json()["messages"]]
    return ids


def by_node(url):
    said = subprocess.run(["node", HERE / "node" / "http.js", url, AUTHORIZATION, str(NODE)],
                          check=True, text=True, capture_output=True, timeout=PATIENCE_SECONDS)
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    return [answer["id"] for answer in answers if answer["status"] == 202]


def run(surroundings):
    checks = Checks("http")
    if surroundings.direct:
        return [checks]
    folder = surroundings.folder()
    hook = Hook()
    with contextlib.ExitStack() as stack:
        smscs = [stack.enter_context(Smsc(surroundings.programs, [])) for _ in range(2)]
        config = CONFIG.format(one=smscs[0].port, two=smscs[1].port, hook=hook.port, folder=folder)
        router = stack.enter_context(Router(surroundings.programs, folder, config))
        port = router.wait_for_line(r"takes HTTP at http://\S+:(\d+)/")[1]
        for smsc in smscs:
            smsc.wait_for_binds(1)
        url = f"http://127.0.0.1:{port}/v1/messages"
        sent = {"curl": by_curl(url, folder), "Python's requests": by_python(url),
                "node": by_node(url)}
        for name, count in zip(sent, (CURL, PYTHON, NODE)):
            checks.equal(f"{name}: {count} messages are accepted", len(sent[name]), count)
        ids = [each for its in sent.values() for each in its]
        hook.wait_for(len(ids))
        checks.equal("no id is there twice", len(set(ids)), len(ids))
        checks.equal("each message has a receipt at the webhook, once",
                     sorted(hook.receipts), sorted((each, "delivered") for each in ids))
        checks.equal("the router ends well", router.stop(), 0)
        submits = sum(smsc.stop_and_count()["submits"] for smsc in smscs)
        checks.equal("the SMSCs have got each message once", submits, len(ids))
    return [checks]
