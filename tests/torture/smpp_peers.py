"""A small SMSC and a small ESME, as SMPP 3.4 has them, for one who waits: both are stepped by Peers.wait.

The SMSC accepts every message, sends receipts when it is told to, and sends again what is not
acknowledged. The ESME takes what comes; each second bind is over TLS. Both keep what there was:
accepted, receipts, messages.
"""
import select
import socket
import ssl
import struct
import time

BIND, SUBMIT, DELIVER, UNBIND, ENQUIRE = 0x09, 0x04, 0x05, 0x06, 0x15
RESPONSE = 0x80000000
OK, REFUSED_FOR_GOOD = 0, 0x65
RECEIPT = 0x04  # of esm_class
PAUSE = 0.005
HANDSHAKE = 0.5  # the SMSC waits meanwhile


def message(source, destination, text, esm_class=0):
    """The body of a submit_sm or deliver_sm that asks for a receipt."""
    return (b"\0\1\1" + source + b"\0\1\1" + destination + b"\0" + bytes([esm_class]) +
            b"\0\0\0\0\1\0\0\0" + bytes([len(text)]) + text)


def what_it_says(body):
    """esm_class and text of one."""
    at = 0
    for skipped in (0, 2, 2):  # ton and npi before each address
        at = body.index(b"\0", at + skipped) + 1
    esm_class = body[at]
    at += 3
    for _ in range(2):
        at = body.index(b"\0", at) + 1
    length = body[at + 4]
    return esm_class, body[at + 5:at + 5 + length]


class Link:
    """One connection. `requests` answers the other side's; a response has its caller to take it."""

    def __init__(self, sock, requests, ended):
        self.socket = sock
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests, self.ended = requests, ended
        self.input = b""
        self.sequence = 0
        self.waiting = {}
        self.bound = False

    def fileno(self):
        return self.socket.fileno()

    def send(self, command, sequence, body=b"", status=OK):
        try:
            self.socket.sendall(
                struct.pack(">4I", 16 + len(body), command, status, sequence) + body)
        except OSError:
            pass  # its end is read

    def request(self, command, body, answered=lambda status, body: None):
        self.sequence += 1
        self.waiting[self.sequence] = answered
        self.send(command, self.sequence, body)

    def step(self):
        # select() does not see what TLS has decrypted already.
        while self.receive() and isinstance(self.socket, ssl.SSLSocket):
            pass

    def receive(self):
        """Whether something came, and was taken."""
        try:
            part = self.socket.recv(65536)
        except ssl.SSLWantReadError:
            return False
        except OSError:
            part = b""
        if part:
            self.input += part
            self.take_all()
        else:
            self.close()
        return bool(part)

    def take_all(self):
        while len(self.input) >= 16:
            length, command, status, sequence = struct.unpack(">4I", self.input[:16])
            if len(self.input) < length:
                return
            body, self.input = self.input[16:length], self.input[length:]
            self.take(command, status, sequence, body)

    def take(self, command, status, sequence, body):
        if command & RESPONSE:
            if answered := self.waiting.pop(sequence, None):
                answered(status, body)
        elif command in (ENQUIRE, UNBIND):
            self.send(command | RESPONSE, sequence)
        else:
            self.requests(self, command, sequence, body)

    def close(self):
        self.bound = False
        self.socket.close()
        self.ended(self)


class Delivery:
    """A receipt or a message on its way to an ESME."""

    def __init__(self, text, body):
        self.text, self.body = text, body
        self.link = None  # on which it waits for its answer
        self.status = None
        self.not_before = 0.0

    def answered(self, status):
        self.link = None
        if status in (OK, REFUSED_FOR_GOOD):
            self.status = status
        self.not_before = time.monotonic() + PAUSE


class Smsc:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.links = []
        self.accepted = {}   # id: text
        self.deliveries = []

    def sockets(self):
        return [self.listener, *self.links]

    def step(self, ready):
        for one in ready:
            if one is self.listener:
                self.links.append(Link(self.listener.accept()[0], self.take, self.links.remove))
            elif one in self.links:
                one.step()
        bound = next((link for link in self.links if link.bound), None)
        for delivery in self.deliveries if bound else []:
            self.send(delivery, bound)

    def send(self, delivery, link):
        if delivery.link not in self.links:
            delivery.link = None
        if (delivery.status is None and delivery.link is None
                and time.monotonic() >= delivery.not_before):
            delivery.link = link
            link.request(DELIVER, delivery.body,
                         lambda status, _: delivery.answered(status))

    def take(self, link, command, sequence, body):
        answer = b"smsc\0"
        if command == BIND:
            link.bound = True
        elif command == SUBMIT:
            answer = b"%d\0" % (len(self.accepted) + 1000)
            self.accepted[answer[:-1]] = what_it_says(body)[1]
        link.send(command | RESPONSE, sequence, answer)

    def receipt(self, text):
        """For the message of this text, once it was accepted: sent until it is acknowledged."""
        name = next(name for name, accepted in self.accepted.items() if accepted == text)
        said = b"id:" + name + (b" sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 "
                                b"stat:DELIVRD err:000 text:")
        return self.deliver(text, message(b"41", b"12345", said, RECEIPT))

    def message(self, text):
        return self.deliver(text, message(b"41", b"12345", text))

    def deliver(self, text, body):
        self.deliveries.append(Delivery(text, body))
        return self.deliveries[-1]

    def close(self):
        for one in self.sockets():
            (one.socket if isinstance(one, Link) else one).close()


def trusting_anybody():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Esme:
    def __init__(self):
        self.link = None
        self.binds = 0
        self.tls = trusting_anybody()
        self.promised = {}    # id: text; what was answered ESME_ROK
        self.receipts = set()  # ids
        self.messages = set()  # texts
        self.twice = []        # ids given out twice

    def sockets(self):
        return [self.link] if self.link else []

    def step(self, ready):
        for one in ready:
            if one is self.link:
                one.step()

    def connect(self, plain, secure, name=b"esme1"):
        """Asks for a bind under this name, at one of the two ports."""
        self.close()
        try:
            sock = self.over_tls(secure) if self.binds % 2 == 1 else self.over_tcp(plain)
        except OSError:
            return
        self.link = Link(sock, self.take, self.lost)
        self.link.request(BIND, name + b"\0secret1\0\0\x34\0\0\0", self.answered)

    def over_tcp(self, port):
        return socket.create_connection(("127.0.0.1", port), timeout=HANDSHAKE)

    def over_tls(self, port):
        with self.over_tcp(port) as sock:
            secured = self.tls.wrap_socket(sock)
        secured.setblocking(False)
        return secured

    def answered(self, status, _):
        self.link.bound = status == OK
        if status == OK:
            self.binds += 1
        else:
            self.close()

    def lost(self, _):
        self.link = None

    def is_bound(self):
        return self.link is not None and self.link.bound

    def take(self, link, command, sequence, body):
        if command != DELIVER:
            return
        esm_class, text = what_it_says(body)
        if esm_class == RECEIPT:
            self.receipts.add(text[3:text.index(b" ")])
        else:
            self.messages.add(text)
        link.send(DELIVER | RESPONSE, sequence, b"\0")

    def is_idle(self):
        """Nothing is unanswered."""
        return self.link is None or not self.link.waiting

    def submit(self, text):
        def keep(status, body):
            if status == OK:
                self.twice += [body[:-1]] if body[:-1] in self.promised else []
                self.promised[body[:-1]] = text
        self.link.request(SUBMIT, message(b"12345", b"4179", text), keep)

    def unbind(self):
        if self.link:
            self.link.request(UNBIND, b"", lambda *_: self.close())

    def close(self):
        if self.link:
            self.link.close()


class Peers:
    """Both, and how one waits for something."""

    def __init__(self):
        self.smsc, self.esme = Smsc(), Esme()

    def step(self):
        sockets = self.smsc.sockets() + self.esme.sockets()
        ready = select.select(sockets, [], [], PAUSE)[0]
        self.smsc.step(ready)
        self.esme.step(ready)

    def wait(self, until, seconds, given_up=lambda: False):
        """Whether it came."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end or given_up():
                return False
            self.step()
        return True

    def close(self):
        self.smsc.close()
        self.esme.close()
