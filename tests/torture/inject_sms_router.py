#!/usr/bin/env python3
"""sms-router as it is shipped, with one system call that fails.

    inject_sms_router.py PROGRAMS [--selector poll] [--cases 60]

See strace_inject.py. Between an SMSC and an ESME that bind again when a link ends, and submit again what
was not answered ESME_ROK, the router reads another configuration (on SIGHUP, until the account that is
new in it can bind), passes messages and receipts, keeps some in its store, and ends:
by SIGTERM, or by SIGKILL where the fault has struck before and its number is even. It must not have
crashed, nor hang (30 s), nor hold a descriptor more than before, and must serve the next bind; or it
has ended with exit code 1 and one line on standard error.

In any case another router then finds the same store, without a fault. Each message that was answered
ESME_ROK must get its receipt, and each message and receipt that the router has acknowledged to the
SMSC must be at the ESME.
"""
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from smpp_peers import OK, Peers
from strace_inject import (HANG, Failure, Hang, Program, Subject, Traced, errors_by_call, run,
                           skip)

OF_READ = ["EAGAIN", "EBADF", "EFAULT", "EINTR", "EINVAL", "EIO", "EISDIR"]
OF_WRITE = ["EAGAIN", "EBADF", "EDQUOT", "EFAULT", "EFBIG", "EINTR", "EINVAL", "EIO", "ENOSPC",
            "EPERM"]
OF_PATHS = ["EACCES", "EFAULT", "ELOOP", "ENAMETOOLONG", "ENOENT", "ENOMEM", "ENOTDIR"]
# Of the files of the router: store, records and configuration. Source: Linux man-pages 6.03.
OF_FILES = {
    "openat": OF_PATHS + ["EBADF", "EBUSY", "EDQUOT", "EEXIST", "EFBIG", "EINTR", "EINVAL", "EISDIR",
                          "EMFILE", "ENFILE", "ENODEV", "ENOSPC", "ENXIO", "EOPNOTSUPP",
                          "EOVERFLOW", "EPERM", "EROFS", "ETXTBSY", "EAGAIN"],
    "newfstatat": OF_PATHS + ["EBADF", "EINVAL", "EOVERFLOW"],
    "read": OF_READ,
    "pread64": OF_READ + ["ENXIO", "EOVERFLOW", "ESPIPE"],
    "write": OF_WRITE + ["EDESTADDRREQ", "EPIPE"],
    "pwrite64": OF_WRITE + ["ENXIO", "EOVERFLOW", "ESPIPE"],
    "fdatasync": ["EBADF", "EDQUOT", "EINTR", "EINVAL", "EIO", "ENOSPC", "EROFS"],
    "ftruncate": ["EACCES", "EBADF", "EFBIG", "EINTR", "EINVAL", "EIO", "EISDIR", "EPERM", "EROFS",
                  "ETXTBSY"],
    "unlink": OF_PATHS + ["EBUSY", "EIO", "EISDIR", "EPERM", "EROFS"],
    "fcntl": ["EACCES", "EAGAIN", "EBADF", "EDEADLK", "EFAULT", "EINTR", "EINVAL", "ENOLCK"],
    "fchown": ["EACCES", "EBADF", "EINVAL", "EIO", "ENOENT", "EPERM", "EROFS"],
}
OTHERS = {"getrandom": ["EAGAIN", "EFAULT", "EINTR", "EINVAL", "ENOSYS"]}

CONFIG = """
[router]
threads = 2
selector = "{selector}"
drain_timeout = "2s"
stall_limit = "0s"
hold_receipts = "1s"
[timers]
response = "1s"
[listener.esme]
host = "127.0.0.1"
port = 0
[listener.secure]
host = "127.0.0.1"
port = 0
tls = {{ certificate = "{folder}/certificate.pem", key = "{folder}/key.pem" }}
[account.esme1]
# "secret1", by a method that costs little
password_hash = "$1$salt$ZFllOQFh9cdNx4yC4xXCk0"
numbers = ["12345"]
[connector.smsc]
host = "127.0.0.1"
port = {port}
system_id = "router"
password = "secret"
response = "1s"
connect_timeout = "1s"
reconnect_first = "20ms"
reconnect_max = "100ms"
[admin]
port = 0
[store]
path = "{folder}/store"
[records]
path = "{folder}/records"
"""
NEW_ACCOUNT = """
[account.esme2]
password_hash = "$1$salt$ZFllOQFh9cdNx4yC4xXCk0"
"""
TLS_FILES = ["certificate.pem", "key.pem"]
STORE_FILES = ["store", "store-wal"]
FILES = ["router.toml", *TLS_FILES, *STORE_FILES, "store-journal", "records"]
RELOAD_EVERY = 0.05


class Scene:
    """One router between the two, and what is promised."""

    def __init__(self, options, tls_files, trace, fault=None, phase="start", left=None):
        self.peers = Peers()
        self.smsc, self.esme = self.peers.smsc, self.peers.esme
        self.folder = Path(tempfile.mkdtemp(prefix="nio-inject-"))
        for name, content in tls_files.items():
            (self.folder / name).write_bytes(content)
        self.config = self.folder / "router.toml"
        self.config.write_text(CONFIG.format(selector=options.selector, port=self.smsc.port,
                                             folder=self.folder))
        self.command = [str(options.programs / "sms-router"), "--config", str(self.config)]
        of_files = set(trace.split(",")) <= set(OF_FILES)
        paths = [self.folder / name for name in FILES] if of_files else []
        self.texts = 0
        if left:
            left.give(self)
        self.router = self.traced = self.start(trace, fault, paths, phase)
        self.traced.idle = self.peers.step
        self.traced.reads = str(self.config)
        # Else it is drained.
        self.is_to_be_killed = fault is not None and fault.nth % 2 == 0

    def start(self, *how):
        return Traced(self.command, *how)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.traced.__exit__()
        self.peers.close()
        shutil.rmtree(self.folder)

    def struck(self):
        return self.traced.struck()

    def wait(self, until, why):
        if not self.peers.wait(until, HANG, self.router.has_ended):
            raise Hang(why)

    def is_bound(self):
        """Binds again where it is not."""
        if self.esme.link is None:
            self.esme.connect(*self.router.ports)
        return self.esme.is_bound()

    def bind(self):
        self.wait(self.is_bound, "nobody can bind")

    def unbind(self):
        self.esme.unbind()
        self.wait(lambda: self.esme.link is None, "an unbind is not answered")

    def submit(self):
        """The text of a message that was answered ESME_ROK, at last."""
        sent = None

        def promised():
            nonlocal sent
            if sent is None or self.esme.is_idle():
                if sent in self.esme.promised.values():
                    return True
                self.bind()
                self.texts += 1
                sent = b"message %d" % self.texts
                self.esme.submit(sent)
            return False
        self.wait(promised, "no message is accepted")
        return sent

    def acknowledged(self, deliveries):
        self.wait(lambda: all(one.status is not None for one in deliveries),
                  "what the SMSC sends is not acknowledged")

    def missing(self):
        """What was promised and has not come."""
        receipts = {self.esme.promised[name] for name in self.esme.receipts
                    if name in self.esme.promised}
        return ([one.text for one in self.smsc.deliveries if one.status == OK and one.text not in
                 self.esme.messages | receipts])

    def arrived(self):
        self.wait(lambda: self.is_bound() and not self.missing(),
                  "the ESME does not get what was acknowledged")

    # --- what happens ---------------------------------------------------------------------------

    def reload(self):
        if NEW_ACCOUNT not in self.config.read_text():
            with self.config.open("a") as config:
                config.write(NEW_ACCOUNT)
        asked = 0.0

        def is_known():
            nonlocal asked
            if self.esme.link is None and time.monotonic() - asked > RELOAD_EVERY:
                asked = time.monotonic()
                self.router.process.send_signal(signal.SIGHUP)
                self.esme.connect(*self.router.ports, b"esme2")
            return self.esme.is_bound()
        self.wait(is_known, "does not read its configuration again")
        self.unbind()

    def load(self):
        self.reload()
        self.bind()
        texts = [self.submit() for _ in range(6)]
        self.unbind()
        # For nobody who is there: kept in the store. The receipts of others come to the next router.
        kept = [self.smsc.receipt(texts[1]), self.smsc.receipt(texts[3])]
        self.acknowledged([*kept, self.smsc.message(b"kept")])
        self.bind()
        self.arrived()
        self.acknowledged([self.smsc.receipt(texts[5]), self.smsc.message(b"passed on")])
        self.arrived()
        self.unbind()

    def live(self, descriptors):
        """True: it has served; False: it was not set up, or has ended as it may."""
        if not self.router.is_ready():
            self.router.check_ended("before it is ready")
            return False
        if not self.serves(descriptors):
            self.router.check_ended("while it serves")
            return False
        return True

    def serves(self, descriptors):
        try:
            self.load()
            self.router.wait_for_descriptors(descriptors)
            self.submit()
            self.unbind()
            # The last one is kept: no receiving bind is there.
            self.acknowledged([self.smsc.message(b"for the next router")])
            return True
        except Failure:
            if self.router.ends():
                return False
            raise

    def end(self):
        if self.is_to_be_killed and self.struck():
            self.router.kill()
        else:
            self.router.check_drain()

    def look_after(self):
        """Whether all that was promised is in the store, and comes."""
        with Program(self.command) as self.router:
            self.router.idle = self.peers.step
            if not self.router.is_ready():
                raise Failure(f"the store is lost: {self.router.wait()[1]}")
            self.bind()
            receipted = {one.text for one in self.smsc.deliveries}
            receipts = [self.smsc.receipt(text) for text in self.esme.promised.values()
                        if text not in receipted]
            self.acknowledged(receipts)
            self.arrived()
            refused = [one.text for one in self.smsc.deliveries
                       if one.status != OK and one.text in self.esme.promised.values()]
            if refused or self.esme.twice:
                raise Failure(f"answered ESME_ROK and lost: {refused}; twice: {self.esme.twice}")


class Left:
    """What a router that was killed has left: a store with its log, and what it had promised."""

    def __init__(self, scene):
        self.files = {name: (scene.folder / name).read_bytes() for name in STORE_FILES}
        self.accepted, self.promised = dict(scene.smsc.accepted), dict(scene.esme.promised)
        self.deliveries, self.texts = list(scene.smsc.deliveries), scene.texts
        self.receipts, self.messages = set(scene.esme.receipts), set(scene.esme.messages)

    def give(self, scene):
        for name, content in self.files.items():
            (scene.folder / name).write_bytes(content)
        scene.smsc.accepted, scene.esme.promised = dict(self.accepted), dict(self.promised)
        scene.smsc.deliveries, scene.texts = list(self.deliveries), self.texts
        scene.esme.receipts, scene.esme.messages = set(self.receipts), set(self.messages)


def make_tls_files():
    if shutil.which("openssl") is None:
        skip("no openssl, which makes the certificate")
    with tempfile.TemporaryDirectory(prefix="nio-inject-") as folder:
        certificate, key = (Path(folder) / name for name in TLS_FILES)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=router", "-days",
                        "2", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        return {path.name: path.read_bytes() for path in (certificate, key)}


class Router(Subject):
    program = "sms-router"
    errors = errors_by_call(OF_FILES, OTHERS)
    phases = ("start", "restart", "ready")

    def __init__(self, options):
        self.options = options
        self.tls_files = make_tls_files()
        self.name = "sms-router, " + options.selector
        self.arguments = " --selector " + options.selector
        self.descriptors = 0  # open at rest, the SMSC bound
        self.left = None

    def count(self, phase):
        if phase == "restart":
            self.leave()
            return self.count_of(OF_FILES, phase)
        return {**self.count_of(OF_FILES, phase),
                **self.count_of(set(self.errors) - set(OF_FILES), phase)}

    def scene(self, *what):
        return Scene(self.options, self.tls_files, *what)

    def leave(self):
        with self.scene("bind") as scene:
            scene.router.must_be_ready()
            scene.serves(self.descriptors)
            scene.router.kill()
            self.left = Left(scene)

    def left_for(self, phase):
        return self.left if phase == "restart" else None

    def count_of(self, calls, phase):
        with self.scene(",".join(calls), None, phase, self.left_for(phase)) as scene:
            scene.router.must_be_ready()
            scene.load()
            self.descriptors = scene.router.descriptors_at_rest()
            scene.router.check_drain()
            return scene.router.calls()

    def start(self, fault):
        return self.scene(fault.call, fault, fault.phase, self.left_for(fault.phase))

    def live(self, scene):
        served = scene.live(self.descriptors)
        if served:
            scene.end()
        scene.look_after()
        return served


if __name__ == "__main__":
    run(Router, __doc__.splitlines()[0])
