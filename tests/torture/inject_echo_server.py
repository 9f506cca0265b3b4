#!/usr/bin/env python3
"""echo-server as it is shipped, with one system call that fails.

    inject_echo_server.py PROGRAMS [--selector poll] [--cases 150]

See strace_inject.py. A few clients come: some that say FIN, one that reads late, one that resets. Then
the server must not have crashed, nor hang (30 s), nor hold a descriptor more than before, and must
serve the next client and drain; or it has ended with exit code 1 and one line on standard error. One
fault costs one client at most.
"""
import select
import socket
import struct
import time

from strace_inject import HANG, Failure, Hang, Subject, Traced, errors_by_call, run

SLOW_BYTES = 4_000_000


class Client:
    """Sends, says FIN, reads to the end. Served: all came back. What comes is a prefix in any case."""

    def __init__(self, port, size, reads_late=False):
        self.sent = bytes(i * 7 % 251 for i in range(997)) * (size // 997 + 1)
        self.sent = self.sent[:size]
        self.reads_late = reads_late
        self.socket = socket.socket()
        self.served = None
        self.written = self.back = 0
        try:
            self.socket.settimeout(HANG)
            self.socket.connect(("127.0.0.1", port))
            self.socket.setblocking(False)
        except socket.timeout:
            raise Hang("a client cannot connect") from None
        except OSError:
            self.end(False)

    def end(self, served):
        self.served = served
        self.socket.close()

    def step(self):
        try:
            self.write()
            self.read()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self.end(False)

    def write(self):
        if self.written == len(self.sent):
            return
        try:
            while self.written < len(self.sent):
                self.written += self.socket.send(self.sent[self.written:self.written + 262144])
            self.socket.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            self.reads_late = False  # the server is stuck: enough

    def read(self):
        if self.reads_late and self.written < len(self.sent):
            return
        while True:
            part = self.socket.recv(262144)
            if not part:
                return self.end(self.back == len(self.sent))
            if self.sent[self.back:self.back + len(part)] != part:
                raise Failure("a client gets back what it has not sent")
            self.back += len(part)


def run_clients(clients):
    end = time.monotonic() + HANG
    while waiting := [client for client in clients if client.served is None]:
        if time.monotonic() > end:
            raise Hang(f"{len(waiting)} of {len(clients)} clients wait for ever")
        writing = [client.socket for client in waiting if client.written < len(client.sent)]
        select.select([client.socket for client in waiting], writing, [], 0.05)
        for client in waiting:
            client.step()
    return sum(not client.served for client in clients)


def reset(port):
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.settimeout(HANG)
        try:
            client.connect(("127.0.0.1", port))
            client.send(b"never mind")
        except socket.timeout:
            raise Hang("a client cannot connect") from None
        except OSError:
            pass


def load(server):
    """How many were not served."""
    port = server.ports[0]
    unserved = run_clients([Client(port, 1000)])
    reset(port)
    unserved += run_clients([Client(port, SLOW_BYTES, reads_late=True)] +
                            [Client(port, 20_000) for _ in range(3)])
    return unserved


def load_and_see(server, descriptors):
    """How many clients were not served; None: it ends."""
    try:
        unserved = load(server)
        server.wait_for_descriptors(descriptors)
        # The fault may have waited for the first.
        if all(run_clients([Client(server.ports[0], 100)]) for _ in range(2)):
            raise Failure("nobody is served any more")
        return unserved
    except Failure:
        if server.ends():
            return None
        raise


class EchoServer(Subject):
    program = "echo-server"
    errors = errors_by_call()

    def __init__(self, options):
        self.name = options.selector
        self.arguments = " --selector " + options.selector
        self.command = [str(options.programs / self.program), "--port", "0", "--threads", "1",
                        "--selector", options.selector, "--drain-timeout", "2"]
        self.descriptors = 0  # open at rest

    def count(self, phase):
        with Traced(self.command, ",".join(self.errors), phase=phase) as server:
            server.must_be_ready()
            if load(server):
                raise Failure("a client is not served although nothing fails")
            self.descriptors = server.descriptors_at_rest()
            server.check_drain()
            return server.calls()

    def start(self, fault):
        return Traced(self.command, fault.call, fault)

    def live(self, server):
        if not server.is_ready():
            server.check_ended("before it is ready")
            return False
        unserved = load_and_see(server, self.descriptors)
        if unserved is None:
            server.check_ended("while it serves")
            return False
        server.check_drain()
        struck = server.struck()
        if unserved > struck:
            raise Failure(f"{unserved} clients were not served, {struck} calls have failed")
        return True


if __name__ == "__main__":
    run(EchoServer, __doc__.splitlines()[0])
