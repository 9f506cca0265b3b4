"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol.

    with Browser() as browser:
        browser.open(path)
        browser.run("return document.title")

Needs nothing but the standard library and the two programs. The browser gets an empty profile and
a home of its own, and both end with the `with`.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

PATIENCE = 240  # seconds, for one command
FLAGS = [
    "--headless",
    "--no-sandbox",  # it would not start as root; the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


def missing():
    """What is not installed, by name."""
    lacks = [] if browser_path() else ["chromium"]
    return lacks + ([] if shutil.which("chromedriver") else ["chromedriver"])


def browser_path():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="nio-browser-")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.session = ""
        port = self._start_driver()
        try:
            self.address = f"http://127.0.0.1:{port}"
            self.session = "/session/" + self._open_session()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self._send("DELETE", self.session)
        finally:
            self._end_driver()
            self.folder.cleanup()

    def open(self, path):
        self.visit(Path(path).resolve().as_uri())

    def visit(self, address):
        self._send("POST", self.session + "/url", {"url": address})

    def run(self, script, *arguments):
        """What the body of a function of JavaScript returns."""
        body = {"script": script, "args": list(arguments)}
        return self._send("POST", self.session + "/execute/sync", body)

    def devtools(self, command, **parameters):
        body = {"cmd": command, "params": parameters}
        return self._send("POST", self.session + "/goog/cdp/execute", body)

    def log(self, kind):
        """What has come since it was last asked for. kind: browser (the console), performance."""
        return self._send("POST", self.session + "/se/log", {"type": kind})

    def requested(self):
        """The addresses that were asked for since the performance log was last read."""
        messages = (json.loads(entry["message"])["message"] for entry in self.log("performance"))
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def show(self, width, scheme):
        """width: pixels; scheme: light or dark."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=width < 600,
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.devtools("Emulation.setEmulatedMedia", features=[feature])

    def press(self, key):
        """key: Tab, Enter, …, as KeyboardEvent.key calls it."""
        codes = {"Tab": 9, "Enter": 13}
        text = "\r" if key == "Enter" else ""
        for kind in ("keyDown", "keyUp"):
            self.devtools(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                windowsVirtualKeyCode=codes[key], text=text if kind == "keyDown" else "",
            )

    def picture(self):
        """All of the page as PNG, in base 64."""
        return self.devtools(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True
        )["data"]

    def _start_driver(self):
        """Its port. It looks for a free one of IPv6 and then takes the same of IPv4, which
        somebody else may have."""
        for _ in range(10):
            self.driver = self._run_driver()
            port, said = self._driver_port()
            if port:
                return port
            self._end_driver()
            if "Address already in use" not in said:
                break
        self.folder.cleanup()
        raise RuntimeError(f"chromedriver does not start:\n{said}")

    def _end_driver(self):
        self.driver.terminate()
        self.driver.wait(PATIENCE)
        self.driver.stdout.close()

    def _run_driver(self):
        home = self.folder.name
        environment = dict(
            os.environ, HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home, TMPDIR=home
        )
        return subprocess.Popen(
            ["chromedriver", "--port=0"], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )

    def _driver_port(self):
        said = ""
        for line in self.driver.stdout:
            said += line
            if match := re.search(r"started successfully on port (\d+)", line):
                return int(match[1]), said
        return None, said

    def _open_session(self):
        options = {
            "binary": browser_path(),
            "args": [*FLAGS, f"--user-data-dir={self.folder.name}/profile"],
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        body = {"capabilities": {"alwaysMatch": wanted}}
        return self._send("POST", "/session", body)["sessionId"]

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with self.opener.open(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            trouble = json.load(error)["value"]
            raise RuntimeError(f"{path}: {trouble['error']}: {trouble['message']}") from None
