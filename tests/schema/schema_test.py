#!/usr/bin/env python3
"""The JSON of echo-client is what its schema says: schema_test.py PROGRAMS SCHEMA

Runs short loads against echo-server and validates what they write. Skipped (exit 77) without jsonschema (Debian: python3-jsonschema), unless NIO_REQUIRE_ALL=1.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("no jsonschema")
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)

PATIENCE_SECONDS = 240
SHORT = "-d 200ms --warmup 50ms "
REPORTS = {
    "closed loop": SHORT,
    "open loop": SHORT + "-r 500 --require p99<100s --require errors=0",
    "stages": "--stages 300ms:500 --warmup 50ms",
    "fixed count": "-n 100",
    "messages": SHORT + r"--send a{seq}\n --expect a{seq}\n",
    "one way": SHORT + "--no-answer",
    "connects": SHORT + "--connect-only --close rst",
    "bad clients": SHORT + "--beside slowloris:2",
    "repeats": SHORT + "--repeat 2",
    "search": SHORT + "--find-max p99<100s -r 50",
    "wrong answers": SHORT + "--send a --expect b",
    "the server's process": SHORT + "--server-pid PID",
    "TLS": SHORT + "--tls --insecure",
}


class Server:
    def __init__(self, programs, *words):
        self.process = subprocess.Popen([Path(programs) / "echo-server", "--port", "0", *words],
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.target = re.search(r"127\.0\.0\.1:\d+", self.process.stdout.readline()).group()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def certificate(folder):
    """Options of a server with a certificate of its own."""
    key, cert = Path(folder) / "key.pem", Path(folder) / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x",
                    "-keyout", key, "-out", cert], check=True, stderr=subprocess.DEVNULL)
    return "--tls-cert", cert, "--tls-key", key


class Client:
    def __init__(self, programs, servers, folder):
        self.servers = servers
        self.program = Path(programs) / "echo-client"
        self.file = Path(folder) / "out.json"

    def writes(self, option, words):
        self.file.unlink(missing_ok=True)
        server = self.servers["--tls" in words]
        words = words.replace("PID", str(server.pid))
        subprocess.run([self.program, server.target, "--quiet", "-c", "4", *words.split(), option,
                        self.file], timeout=PATIENCE_SECONDS,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return self.file.read_text(encoding="utf-8")


def validator(schema, part):
    return jsonschema.Draft202012Validator({**schema, "$ref": "#/$defs/" + part})


def check(client, schema):
    reports = validator(schema, "report")
    for name, words in REPORTS.items():
        report = json.loads(client.writes("--json", words))
        for error in reports.iter_errors(report):
            sys.exit(f"{name}: {error.json_path}: {error.message[:200]}")
        print(f"{name}: {len(report)} members")
    lines = client.writes("--json-lines", SHORT).splitlines()
    assert lines, "no line"
    for line in lines:
        validator(schema, "line").validate(json.loads(line))
    bad = client.writes("--json", "--misbehave one-byte -d 200ms")
    validator(schema, "misbehaviour").validate(json.loads(bad))
    report["unknown"] = 1
    assert not reports.is_valid(report), "the schema accepts anything"


def main():
    programs, schema_file = sys.argv[1:]
    schema = json.loads(Path(schema_file).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    with tempfile.TemporaryDirectory() as folder, Server(programs) as plain, \
            Server(programs, *certificate(folder)) as tls:
        check(Client(programs, [plain, tls], folder), schema)


main()
