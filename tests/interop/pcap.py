"""Writes conversations as a capture file: Ethernet, IPv4 and TCP headers are made up, payloads are
what a relay has seen. Every connection has its handshake and its end, sequence numbers are right,
and checksums too.

Source: the libpcap file format; RFC 791, RFC 9293.
"""
import struct

SERVER_PORT = 2775
FIRST_CLIENT_PORT = 40000
CLIENT, SERVER = bytes([127, 0, 0, 1]), bytes([127, 0, 0, 2])
ETHERNET = bytes(5) + b"\x01" + bytes(5) + b"\x02" + b"\x08\x00"
FIN, SYN, PUSH, ACK = 0x01, 0x02, 0x08, 0x10
SEGMENT = 1460
FILE_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ip_packet(source, destination, payload, number):
    def header(check):
        total = 20 + len(payload)
        fields = (0x45, 0, total, number & 0xFFFF, 0x4000, 64, 6, check, source, destination)
        return struct.pack("!BBHHHBBH4s4s", *fields)

    return header(checksum(header(0))) + payload


class Side:
    def __init__(self, address, port, sequence):
        self.address = address
        self.port = port
        self.sequence = sequence


class Writer:
    def __init__(self, path):
        self._file = open(path, "wb")
        self._file.write(FILE_HEADER)
        self._packets = []
        self._connections = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._packets.sort(key=lambda packet: packet[0])
        for moment, frame in self._packets:
            seconds = int(moment)
            micros = int((moment - seconds) * 1e6)
            self._file.write(struct.pack("<IIII", seconds, micros, len(frame), len(frame)) + frame)
        self._file.close()

    def _segment(self, moment, sender, receiver, flags, data=b""):
        def tcp(check):
            acknowledged = receiver.sequence if flags & ACK else 0
            fields = (sender.port, receiver.port, sender.sequence, acknowledged)
            return struct.pack("!HHIIBBHHH", *fields, 5 << 4, flags, 65535, check, 0) + data

        pseudo = sender.address + receiver.address + struct.pack("!BBH", 0, 6, 20 + len(data))
        packet = ip_packet(
            sender.address, receiver.address, tcp(checksum(pseudo + tcp(0))), len(self._packets)
        )
        self._packets.append((moment, ETHERNET + packet))
        sender.sequence += len(data) + bool(flags & (SYN | FIN))

    def add(self, conversation):
        client = Side(CLIENT, FIRST_CLIENT_PORT + self._connections, 1000)
        server = Side(SERVER, SERVER_PORT, 5000)
        self._connections += 1
        moment = conversation.began
        self._segment(moment, client, server, SYN)
        self._segment(moment, server, client, SYN | ACK)
        self._segment(moment, client, server, ACK)
        for moment, from_client, data in conversation.chunks:
            sender, receiver = (client, server) if from_client else (server, client)
            for at in range(0, len(data), SEGMENT):
                self._segment(moment, sender, receiver, ACK | PUSH, data[at : at + SEGMENT])
        moment = max(moment, conversation.ended)
        self._segment(moment, client, server, ACK | FIN)
        self._segment(moment, server, client, ACK | FIN)
        self._segment(moment, client, server, ACK)
