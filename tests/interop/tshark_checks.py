"""tshark's SMPP dissector over the traffic of the router, on both of its sides."""
import collections
import struct
import subprocess

import pcap
from checks import Checks
from node_checks import MESSAGES, NodeProgram, run_esme
from relay import Conversation, Relay
from router_programs import Smsc, Trouble
from surroundings import start_router

RESPONSE = 0x80000000
SUBMIT_SM, DELIVER_SM, ENQUIRE_LINK, UNBIND = 0x04, 0x05, 0x15, 0x06
NAMES = {
    0x80000000: "generic_nack",
    0x01: "bind_receiver",
    0x02: "bind_transmitter",
    0x03: "query_sm",
    0x04: "submit_sm",
    0x05: "deliver_sm",
    0x06: "unbind",
    0x09: "bind_transceiver",
    0x15: "enquire_link",
    0x0103: "data_sm",
}
LOAD = 200
TROUBLE = "_ws.malformed || _ws.expert.severity == error || tcp.checksum.status == Bad"
HEADER = 16


def name_of(command):
    if command in NAMES:
        return NAMES[command]
    return NAMES.get(command & ~RESPONSE, hex(command & ~RESPONSE)) + "_resp"


def pdus_of(stream):
    """The PDUs of a stream; Trouble where it is no whole number of them."""
    at = 0
    while at < len(stream):
        (length,) = struct.unpack_from("!I", stream, at)
        if length < HEADER or at + length > len(stream):
            raise Trouble(f"a command_length of {length} with {len(stream) - at} octets left")
        yield stream[at : at + length]
        at += length


def command_of(pdu):
    return struct.unpack_from("!I", pdu, 4)[0]


def all_pdus(relay):
    for conversation in relay.conversations:
        for from_client in (True, False):
            yield from pdus_of(conversation.stream(from_client))


def tshark(capture, *arguments):
    command = ["tshark", "-n", "-r", capture, "-d", f"tcp.port=={pcap.SERVER_PORT},smpp"]
    command += ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", *arguments]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Trouble(f"tshark did not end: {' '.join(map(str, command))}") from None
    if run.returncode != 0:
        raise Trouble(f"tshark: {run.stderr.strip()}")
    return run.stdout


def dissected_commands(capture):
    text = tshark(capture, "-Y", "smpp", "-T", "fields", "-e", "smpp.command_id")
    numbers = (int(word, 0) for line in text.split() for word in line.split(",") if word)
    return collections.Counter(map(name_of, numbers))


def check_capture(checks, surroundings, side, relay):
    capture = surroundings.folder() / f"{side}.pcap"
    with pcap.Writer(capture) as writer:
        for conversation in relay.conversations:
            writer.add(conversation)
    complaints = tshark(capture, "-Y", TROUBLE)
    checks.equal(f"{side}: nothing is malformed for tshark", complaints[:500], "")
    sent = collections.Counter(name_of(command_of(pdu)) for pdu in all_pdus(relay))
    seen = dissected_commands(capture)
    checks.equal(f"{side}: tshark sees every PDU", dict(seen), dict(sent))
    checks.told(f"{side}: " + ", ".join(f"{count} {name}" for name, count in sorted(seen.items())))
    return seen


def check_malformed_is_seen(checks, surroundings):
    """That tshark would complain: a submit_sm whose service_type never ends."""
    pdu = struct.pack("!4I", HEADER + 40, SUBMIT_SM, 0, 1) + b"A" * 40
    spoiled = Conversation(1.0, [(1.0, True, pdu)], 1.0)
    capture = surroundings.folder() / "spoiled.pcap"
    with pcap.Writer(capture) as writer:
        writer.add(spoiled)
    checks.check("tshark does complain about a spoiled PDU", tshark(capture, "-Y", TROUBLE) != "")


def check_forwarding(checks, front, back):
    """What the ESMEs sent is what the SMSC got: every octet behind the header."""

    def bodies(relay, command):
        found = (pdu for pdu in all_pdus(relay) if command_of(pdu) == command)
        return collections.Counter(pdu[HEADER:] for pdu in found)

    sent, arrived = bodies(front, SUBMIT_SM), bodies(back, SUBMIT_SM)
    # What was refused before its bind never got to the SMSC.
    missing = sum((sent - arrived).values())
    checks.equal("submit_sm arrive octet by octet, but for the one before a bind", missing, 1)
    checks.equal("the SMSC gets no other submit_sm", sum((arrived - sent).values()), 0)


def traffic(surroundings, port):
    with NodeProgram(surroundings, "esme.js", port, "esme1", "secret1", 1) as esme:
        if esme.wait(60) != 0:
            raise Trouble("node-smpp's ESME did not end well")
    load = ["--messages", str(LOAD), "--binds", "3", "--window", "20", "--registered", "--json"]
    account = ["--accounts", "esme1:secret1"]
    figures = run_esme(surroundings, port, load if not surroundings.direct else [*load, *account])
    if figures["complaints"]:
        raise Trouble(f"the load: {figures['complaints']}")


def expect_numbers(checks, side, seen, more_submits):
    submits = MESSAGES + LOAD + more_submits
    checks.equal(f"{side}: submit_sm", seen["submit_sm"], submits)
    checks.equal(f"{side}: submit_sm_resp", seen["submit_sm_resp"], submits)
    checks.check(f"{side}: deliver_sm", seen["deliver_sm"] >= MESSAGES + LOAD, seen)
    answered = seen["deliver_sm_resp"] == seen["deliver_sm"]
    checks.check(f"{side}: every deliver_sm is answered", answered, seen)
    checks.equal(f"{side}: enquire_link", seen["enquire_link_resp"], seen["enquire_link"])
    checks.equal(f"{side}: unbind_resp", seen["unbind_resp"], seen["unbind"])


def check_router(surroundings):
    checks = Checks("tshark")
    with Smsc(surroundings.programs, ["--mo", "20"]) as smsc, Relay(smsc.port) as back:
        with start_router(surroundings, back.port) as router, Relay(router.port) as front:
            smsc.wait_for_binds(2)
            traffic(surroundings, front.port)
            checks.equal("the router ends well", router.stop(), 0)
            checks.check("all connections have ended", front.finish() and back.finish())
            seen = check_capture(checks, surroundings, "esme-side", front)
            expect_numbers(checks, "esme-side", seen, 1)
            seen = check_capture(checks, surroundings, "smsc-side", back)
            expect_numbers(checks, "smsc-side", seen, 0)
            check_forwarding(checks, front, back)
            check_malformed_is_seen(checks, surroundings)
    return checks


def check_directly(surroundings):
    checks = Checks("tshark")
    options = surroundings.smsc_options("--mo", "20")
    with Smsc(surroundings.programs, options) as smsc, Relay(smsc.port) as front:
        traffic(surroundings, front.port)
        smsc.stop()
        checks.check("all connections have ended", front.finish())
        seen = check_capture(checks, surroundings, "direct", front)
        expect_numbers(checks, "direct", seen, 1)
        check_malformed_is_seen(checks, surroundings)
    return checks


def run(surroundings):
    return [check_directly(surroundings) if surroundings.direct else check_router(surroundings)]
