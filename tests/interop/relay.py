"""A TCP relay that remembers every byte and when it came: a capture that needs no rights."""
import socket
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Conversation:
    """One connection: its chunks in their order, as (time, from the client?, bytes)."""

    began: float
    chunks: list = field(default_factory=list)
    ended: float = 0.0

    def stream(self, from_client):
        return b"".join(data for _, who, data in self.chunks if who == from_client)


class Relay:
    def __init__(self, target_port):
        self.conversations = []
        self._target = ("127.0.0.1", target_port)
        self._lock = threading.Lock()
        self._pumps = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._begin(client)

    def _begin(self, client):
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        conversation = Conversation(time.time())
        with self._lock:
            self.conversations.append(conversation)
        for source, sink, from_client in ((client, server, True), (server, client, False)):
            pump = threading.Thread(
                target=self._pump, args=(conversation, source, sink, from_client), daemon=True
            )
            self._pumps.append(pump)
            pump.start()

    def _pump(self, conversation, source, sink, from_client):
        try:
            while data := source.recv(65536):
                # Remembered first: nobody can see an answer before its question.
                with self._lock:
                    conversation.chunks.append((time.time(), from_client, data))
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        conversation.ended = time.time()

    def finish(self, seconds=10):
        """Waits until all connections have ended."""
        end = time.monotonic() + seconds
        for pump in list(self._pumps):
            pump.join(max(0, end - time.monotonic()))
        return all(not pump.is_alive() for pump in self._pumps)
