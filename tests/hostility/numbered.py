"""Clients that send a numbered stream and know of each byte that comes back which it must be.

A stream is the numbers 0, 1, 2 … of eight bytes each, with the client's own number in the upper
two, round and round: longer than all that may be under way, so that a byte that is lost, comes
twice, or belongs to another shows at once.
"""
import functools
import queue
import selectors
import socket
import struct
import threading
import time
from dataclasses import dataclass

PIECE = 32 * 1024
ROUND = 4 * 1024 * 1024
LONGEST_WINDOW = ROUND // 2
MOST_PIECES = 32  # at once


@functools.cache
def one_round(client):
    numbers = range(ROUND // 8)
    once = struct.pack(f">{len(numbers)}Q", *(client << 48 | number for number in numbers))
    return once + once[:PIECE]


def stream(client, offset, length):
    """The bytes of this client's stream from there on; at most PIECE."""
    begin = offset % ROUND
    return one_round(client)[begin:begin + length]


@dataclass
class Account:
    """What one client has sent and got, once it is over."""

    sent: int = 0
    received: int = 0
    wrong_at: int | None = None  # the first byte that is not the right one
    reset: bool = False  # RST instead of FIN
    fin: bool = False
    said_all_at: float | None = None  # when it said FIN by itself; absent: the server was first


class NumberedClient:
    """Streams with at most `window` bytes under way, until it is told to leave: then it says FIN.

    When the server's FIN comes it says FIN too, as a cooperative peer does.
    """

    def __init__(self, number, port, window):
        self.number, self.window = number, window
        self.account = Account()
        self.leave_at = None  # a time; set by any thread
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.socket.setblocking(False)
        self.finished = False  # our FIN
        self.over = False

    def may_send(self):
        return not self.finished and self.account.sent - self.account.received < self.window

    def interest(self):
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self.may_send() else 0)

    def send(self):
        """As many pieces as the window and the socket take, but not for ever."""
        for _ in range(MOST_PIECES):
            if not self.may_send() or not self.send_piece():
                return

    def send_piece(self):
        account = self.account
        room = self.window - (account.sent - account.received)
        try:
            account.sent += self.socket.send(stream(self.number, account.sent, min(room, PIECE)))
        except BlockingIOError:
            return False
        except OSError:
            self.end(reset=True)
            return False
        return True

    def leave_if_due(self):
        due = self.leave_at is not None and time.monotonic() >= self.leave_at
        if due and not self.finished:
            self.finish()
            self.account.said_all_at = time.monotonic()

    def finish(self):
        self.finished = True
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.end(reset=True)

    def receive(self):
        for _ in range(MOST_PIECES):
            if self.over or not self.receive_piece():
                return

    def receive_piece(self):
        try:
            part = self.socket.recv(PIECE)
        except BlockingIOError:
            return False
        except OSError:
            self.end(reset=True)
            return False
        if not part:
            self.account.fin = True
            if not self.finished:
                self.finish()
            self.end()
        self.check(part)
        return bool(part)

    def check(self, part):
        account = self.account
        right = stream(self.number, account.received, len(part))
        if part != right and account.wrong_at is None:
            at = next(i for i, pair in enumerate(zip(part, right)) if pair[0] != pair[1])
            account.wrong_at = account.received + at
        account.received += len(part)

    def end(self, reset=False):
        self.account.reset |= reset
        self.over = True


class Crew(threading.Thread):
    """Serves all clients of a drain until each of them is over."""

    def __init__(self, clients, seconds):
        super().__init__(daemon=True)
        self.clients, self.end = clients, time.monotonic() + seconds
        self.late = queue.SimpleQueue()  # clients that join while it runs
        self.closed = False  # nobody joins any more
        self.echoed = threading.Event()  # every client has got something

    def run(self):
        with selectors.DefaultSelector() as ready:
            for client in self.clients:
                ready.register(client.socket, client.interest(), client)
            while (ready.get_map() or not self.closed) and time.monotonic() < self.end:
                self.turn(ready)
        for client in self.clients:
            client.socket.close()

    def turn(self, ready):
        while not self.late.empty():
            client = self.late.get()
            self.clients.append(client)
            ready.register(client.socket, client.interest(), client)
        for key, events in ready.select(0.01):
            client = key.data
            if events & selectors.EVENT_READ:
                client.receive()
            if events & selectors.EVENT_WRITE and not client.over and client.may_send():
                client.send()
            if not client.over:
                client.leave_if_due()
            if client.over:
                ready.unregister(client.socket)
            else:
                ready.modify(client.socket, client.interest(), client)
        if all(client.account.received > 0 for client in self.clients):
            self.echoed.set()
