#!/usr/bin/env python3
"""The HTTP API of sms-router is what its OpenAPI document says: openapi_test.py PROGRAMS

Asks a running router, with a simulated SMSC behind it, for the document, sends each example in it, each member with values within and beyond its limits, and mistakes. Every answer has a status, a type and a body that the document describes. Skipped (exit 77) without jsonschema (Debian: python3-jsonschema), unless NIO_REQUIRE_ALL=1.
"""
import base64
import http.client
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
from router_programs import Router, Smsc  # noqa: E402

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: no jsonschema")
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)

PATIENCE_SECONDS = 240
METHODS = ("get", "post", "delete")
# Each member of a message gets each of them; the document says which it may have.
VALUES = [
    "1", "00", "000", "0g", "gsm", "gsm-turkish", "gsm-spanish", "gsm-portuguese", "latin1", "ucs2",
    "binary", "udh8", "udh16", "sar", "CMT", "1" * 5, "1" * 6, "1" * 20, "1" * 21,
    "a" * 20, "a" * 21, "+" + "1" * 20, "+" + "1" * 21, "2030-12-31", "2030-12-31T23:59:00Z",
    "2030-12-31T23:59:00+05:30", "2030-12-31T23:59:00.5Z", "failure", -1, 0, 1, 3, 4, 255, 256,
    2592000, 2592001, 2**63, 1.5, True, False, ["gsm"], ["latin1", "ucs2"], ["gsm", 1],
    ["klingon"], {},
]
CONFIG = """
[listener.esme]
port = 0
[connector.smsc]
host = "127.0.0.1"
port = {port}
system_id = "router"
password = "secret"
[account.shop]
password = "secret"
api_keys = ["{digest}"]
[account.slow]
password = "secret"
messages_per_second = 1
[account.reader]
password = "secret"
bind_types = ["receiver"]
[account.sender]
password = "secret"
bind_types = ["transmitter"]
[[mo]]
account = "reader"
[[route]]
destinations = ["0900*"]
reject = "ESME_RINVDSTADR"
[[route]]
connector = "smsc"
[store]
path = "{folder}/router.db"
[http]
port = 0
"""


class Document:
    def __init__(self, content):
        self.content = content

    def resolved(self, node):
        while "$ref" in node:
            found = self.content
            for name in node["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            node = found
        return node

    def operations(self):
        """(path, method, operation, parameters)"""
        for path, item in self.content["paths"].items():
            for method in METHODS:
                if method in item:
                    operation = item[method]
                    yield (path, method, operation,
                           item.get("parameters", []) + operation.get("parameters", []))

    def operation(self, method, path):
        for template, known, operation, _ in self.operations():
            pattern = re.sub(r"\{\w+\}", "[^/]+", template)
            if known == method.lower() and re.fullmatch(pattern, path):
                return operation
        raise AssertionError(f"{method} {path} is not in the document")

    def parameters(self, name):
        return next(parameters for _, _, operation, parameters in self.operations()
                    if operation["operationId"] == name)

    def validator(self, schema):
        return Draft202012Validator({**self.content, **schema})

    def validate(self, value, schema, what):
        for error in self.validator(schema).iter_errors(value):
            sys.exit(f"{what}: {error.json_path}: {error.message[:200]}: {str(value)[:300]}")

    def request_examples(self):
        body = self.operation("POST", "/v1/messages")["requestBody"]
        return body["content"]["application/json"]["examples"]


def nodes_of(node):
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node:
        if isinstance(inner, (dict, list)):
            yield from nodes_of(inner)


def check_document(document):
    assert document.content["openapi"].startswith("3.1."), document.content["openapi"]
    nodes = list(nodes_of(document.content))
    for node in nodes:
        document.resolved(node)
        if "schema" in node:
            Draft202012Validator.check_schema(node["schema"])
            for name, example in node.get("examples", {}).items():
                document.validate(example["value"], node["schema"], f"example {name}")
    for name, schema in document.content["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        for example in schema.get("examples", []):
            document.validate(example, schema, f"example of {name}")
    operations = list(document.operations())
    names = {operation["operationId"] for _, _, operation, _ in operations}
    assert len(names) == len(operations), "two operations have one operationId"
    for path, _, operation, parameters in operations:
        declared = {each["name"] for each in parameters if each["in"] == "path"}
        assert declared == set(re.findall(r"\{(\w+)\}", path)), path
        assert all(each["required"] for each in parameters if each["in"] == "path"), path
        assert operation["responses"], path
        assert all("description" in document.resolved(response)
                   for response in operation["responses"].values()), path
    schemes = document.content["components"]["securitySchemes"]
    assert all(name in schemes for each in document.content["security"] for name in each)
    print(f"the document: {len(operations)} operations, {len(nodes)} objects")


def connect(port):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)


class Api:
    """Checks each answer against the document."""

    def __init__(self, port, key):
        self.connection = connect(port)
        self.key = {"Authorization": f"Bearer {key}"}
        self.document = None
        self.document = Document(self.ask("GET", "/v1/openapi.json", headers={})[1])
        self.seen = set()

    def ask(self, method, target, body=None, headers=None):
        """(status, what the body says)"""
        headers = dict(self.key if headers is None else headers)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.connection.request(method, target, body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        kind = answer.headers["Content-Type"].split(";")[0]
        value = json.loads(content) if kind.endswith("json") else content.decode()
        if self.document is not None:
            self.check(method, target, answer, kind, value)
        return answer.status, value

    def check(self, method, target, answer, kind, value):
        operation = self.document.operation(method, target.split("?")[0])
        what = f"{method} {target[:80]}: {answer.status}"
        assert str(answer.status) in operation["responses"], f"{what} is not in the document"
        response = self.document.resolved(operation["responses"][str(answer.status)])
        assert kind in response["content"], f"{what}: {kind} is not in the document"
        self.document.validate(value, response["content"][kind]["schema"], what)
        if kind == "application/problem+json":
            assert value["status"] == answer.status, what
            assert all(name in answer.headers for name in response.get("headers", {})), what
        self.seen.add((operation["operationId"], str(answer.status)))

    def expect(self, status, *request, **more):
        got, value = self.ask(*request, **more)
        assert got == status, f"{str(request)[:200]}: {got}, not {status}: {str(value)[:300]}"
        return value

    def send(self, status, body, **more):
        return self.expect(status, "POST", "/v1/messages", body, **more)


def password(account, word="secret"):
    return {"Authorization": "Basic " + base64.b64encode(f"{account}:{word}".encode()).decode()}


def check_examples(api):
    for name, example in api.document.request_examples().items():
        api.send(202, example["value"])
        print(f"example {name}: 202")
    query = [(parameter["name"], value)
             for parameter in api.document.parameters("showSegments")
             for example in parameter["examples"].values()
             for value in (example["value"] if isinstance(example["value"], list)
                           else [example["value"]])]
    responses = api.document.operation("GET", "/v1/segments")["responses"]
    shown = responses["200"]["content"]["application/json"]["examples"]["euro"]["value"]
    assert api.expect(200, "GET", "/v1/segments?" + urlencode(query)) == shown


def check_members(api):
    """A message that the document permits is accepted, and no other."""
    message = api.document.content["components"]["schemas"]["Message"]
    permits = api.document.validator(message)
    for base in ({"to": "1", "text": "a"}, {"to": "1", "data": "00"}):
        bodies = [{**base, member: value}
                  for member in [*message["properties"], "text_"] for value in VALUES
                  # What a header's octets say is beyond a schema.
                  if member != "udh" or not isinstance(value, str)]
        results = api.send(207, {"messages": bodies})["messages"]
        accepted = 0
        for body, result in zip(bodies, results, strict=True):
            problem = result.get("error", {"status": 202})
            may = permits.is_valid(body)
            # What a route rejects is beyond a schema: a receiver that has digits and is no number.
            if problem.get("smpp_status") == "ESME_RINVDSTADR" and not body["to"].isdigit():
                continue
            assert problem["status"] == (202 if may else 422), f"{body}: {result}"
            accepted += may
        print(f"members beside {base}: {accepted} of {len(bodies)} messages accepted")
        assert 0 < accepted < len(bodies)
    api.send(422, {"text": "a"})
    api.send(422, {"to": "1"})


def check_mistakes(api):
    message = {"to": "1", "text": "a"}
    api.send(400, b"[1")
    api.send(400, b'{"to": "1", "text": "a", "priority": %d}' % 2**64)
    api.send(400, [message])
    api.send(400, {"messages": []})
    api.send(400, {"messages": [message], "to": "1"})
    api.send(413, {"messages": [message] * 1001})
    api.send(202, {"messages": [message] * 1000})
    # It is refused before it is sent.
    api.send(413, None, headers={**api.key, "Content-Length": str(1024 * 1024 + 1)})
    api.send(415, b"to=1&text=a", headers={**api.key, "Content-Type": "text/plain"})
    refused = api.send(422, {**message, "to": "0900123456"})
    assert refused["smpp_status"] == "ESME_RINVDSTADR", refused
    results = api.send(207, {"messages": [{"to": "1"}, message]})["messages"]
    assert ["error" in result for result in results] == [True, False], results
    for headers in {}, {"Authorization": "Bearer no"}, password("shop", "no"), password("none"):
        for target in "/v1/account", "/v1/segments?text=a", "/v1/messages/1":
            api.expect(401, "GET", target, headers=headers)
        api.send(401, message, headers=headers)
    api.send(403, message, headers=password("reader"))
    api.expect(422, "GET", "/v1/segments?encoding=klingon")
    assert api.expect(200, "GET", "/v1/account")["account"] == "shop"


def check_rate(api):
    """One message a second; the parts of a message count together."""
    slow = password("slow")
    result = api.send(202, {"to": "1", "text": "a" * 161}, headers=slow)
    assert result["parts"] == 2 and len(result["ids"]) == 2, result
    # Each turn may take longer than the rate allows.
    end = time.monotonic() + PATIENCE_SECONDS
    while api.ask("POST", "/v1/messages", {"to": "1", "text": "a"}, slow)[0] != 429:
        assert time.monotonic() < end, "the rate is never used up"


def check_state(api):
    message = {"from": "Shop", "to": "+41791234567", "text": "a", "receipt": True}
    path = "/v1/messages/" + api.send(202, message)["id"]
    assert api.expect(200, "GET", path + "?from=Shop")["state"] == "enroute"
    api.expect(200, "DELETE", path + "?from=Shop&to=%2B41791234567")
    assert api.expect(200, "GET", path + "?from=Shop")["state"] == "deleted"
    # What is cancelled stays so; the SMSC would refuse to do it again.
    assert api.expect(200, "DELETE", path)["state"] == "deleted"
    states = [entry["event"] for entry in api.expect(200, "GET", path)["history"]]
    assert states == ["accepted", "cancelled"], states
    api.expect(404, "GET", "/v1/messages/none")
    api.expect(404, "DELETE", "/v1/messages/none")
    return path, "/v1/messages/" + api.send(202, message)["id"]


def check_key(api):
    message = {"to": "1", "text": "a"}
    once = {**api.key, "Idempotency-Key": "order-17"}
    first = api.send(202, message, headers=once)
    assert api.send(202, message, headers=once) == first
    api.send(422, {**message, "text": "b"}, headers=once)
    api.send(400, message, headers={**api.key, "Idempotency-Key": "k" * 256})
    # One that is under way: while many messages are, on another connection.
    end = time.monotonic() + PATIENCE_SECONDS
    for number in itertools.count():
        assert time.monotonic() < end, "no request is ever under way"
        once["Idempotency-Key"] = f"many-{number}"
        many = connect(api.connection.port)
        many.request("POST", "/v1/messages", json.dumps({"messages": [message] * 1000}),
                     {**once, "Content-Type": "application/json"})
        status, _ = api.ask("POST", "/v1/messages", message, once)
        assert many.getresponse().status in (202, 409, 422)
        if status == 409:
            return


def check_fetching(api):
    """The SMSC sends messages for "reader" all the time: each is fetched once."""
    reader = password("reader")
    fetched = []
    since = "0"
    end = time.monotonic() + PATIENCE_SECONDS
    while len(fetched) < 3:
        assert time.monotonic() < end, "no message comes"
        answer = api.expect(200, "GET", f"/v1/messages?since={since}&limit=2", headers=reader)
        since = answer["since"]
        fetched += [int(event["delivery"]) for event in answer["messages"]]
    assert fetched == sorted(set(fetched)), fetched
    api.expect(422, "GET", "/v1/messages?limit=1001", headers=reader)
    api.expect(403, "GET", "/v1/messages", headers=password("sender"))
    api.expect(401, "GET", "/v1/messages", headers={})


def check_outage(api, cancelled, path):
    api.send(503, {"to": "1", "text": "a"})
    assert api.expect(200, "GET", cancelled)["state"] == "deleted"
    api.expect(503, "DELETE", path)


def check_statuses(api):
    documented = api.document.operation("POST", "/v1/messages")
    missing = [status for status in documented["responses"]
               if (documented["operationId"], status) not in api.seen]
    assert not missing, f"never answered: {missing}"


def new_key(programs):
    said = subprocess.run([Path(programs) / "sms-router", "--make-api-key"], check=True,
                          capture_output=True, text=True, timeout=PATIENCE_SECONDS).stdout
    return re.search(r"nio_\w+", said)[0], re.search(r"sha256:\w+", said)[0]


def main():
    programs, = sys.argv[1:]
    key, digest = new_key(programs)
    with tempfile.TemporaryDirectory() as folder, \
            Smsc(programs, ["--receipt-delay", "1h", "--mo", "20"]) as smsc, \
            Router(programs, folder, CONFIG.format(port=smsc.port, digest=digest, folder=folder),
                   ["router.login_delay=0"]) as router:
        port = int(router.wait_for_line(r"takes HTTP at http://\S+:(\d+)/")[1])
        smsc.wait_for_binds(1)
        api = Api(port, key)
        check_document(api.document)
        check_examples(api)
        check_members(api)
        check_mistakes(api)
        check_rate(api)
        check_fetching(api)
        check_key(api)
        cancelled, path = check_state(api)
        smsc.kill()
        check_outage(api, cancelled, path)
        check_statuses(api)
        assert router.stop() == 0, "the router did not end well"
    print("every answer is in the document")


main()
