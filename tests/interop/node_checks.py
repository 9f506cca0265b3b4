"""node-smpp as an ESME and as an SMSC."""
import json
import os
from pathlib import Path

from checks import Checks
from router_programs import Program, Smsc
from surroundings import start_router

HERE = Path(__file__).parent
ROK, INVBNDSTS = 0x00, 0x04
REFUSALS = {0x0D, 0x0E, 0x0F}  # ESME_RBINDFAIL, ESME_RINVPASWD, ESME_RINVSYSID
MESSAGES = 7  # of esme.js


class NodeProgram(Program):
    def __init__(self, surroundings, script, *arguments):
        # Modules are looked for beside the script, then here.
        os.environ["NODE_PATH"] = str(surroundings.node_modules)
        super().__init__(["node", HERE / "node" / script, *arguments])

    def events(self, kind):
        parsed = [json.loads(line) for line in self.lines if line.startswith("{")]
        return [event for event in parsed if event["event"] == kind]


class NodeSmsc(NodeProgram):
    def __init__(self, surroundings):
        super().__init__(surroundings, "smsc.js", "router", "secret")
        self.port = int(self.wait_for_line(r"^smsc listening on \S+:(\d+)$")[1])


def check_answers(checks, esme):
    answers = esme.events("answer")
    checks.equal("every kind of message is answered", len(answers), MESSAGES)
    for answer in answers:
        checks.equal(f"message '{answer['name']}' is answered ESME_ROK", answer["status"], ROK)
    ids = {answer["id"] for answer in answers}
    checks.equal("each has a message_id of its own", len(ids), MESSAGES)
    receipts = [receipt["text"] for receipt in esme.events("receipt")]
    of_ids = sorted(text.split("id:")[1].split(" ")[0] for text in receipts)
    checks.equal("each message gets one receipt, by the id of its answer", of_ids, sorted(ids))
    delivered = all("stat:DELIVRD" in text for text in receipts)
    checks.check("receipts say DELIVRD", delivered, receipts)


def check_session(checks, esme):
    refused = esme.events("refused")
    wrong = [event["status"] for event in refused]
    checks.check("a wrong password is refused", wrong and wrong[0] in REFUSALS, wrong)
    unbound = [event["status"] for event in esme.events("unbound")]
    checks.equal("submit_sm before a bind is ESME_RINVBNDSTS", unbound, [INVBNDSTS])
    for kind in ("bound", "enquired", "queried", "data_sm", "unbind"):
        statuses = [event["status"] for event in esme.events(kind)]
        checks.equal(f"{kind} is answered ESME_ROK", statuses, [ROK])
    checks.equal("query_sm names the id", [e["id"] for e in esme.events("queried")], [True])
    checks.equal("the connection closes after unbind", len(esme.events("closed")), 1)
    checks.equal("there is no error", esme.events("error"), [])


def check_esme(surroundings):
    checks = Checks("node-esme")
    with Smsc(surroundings.programs, surroundings.smsc_options("--mo", "5")) as smsc:
        with start_router(surroundings, smsc.port) as router:
            if not surroundings.direct:
                smsc.wait_for_binds(2)
            esme = NodeProgram(surroundings, "esme.js", router.port, "esme1", "secret1", 2)
            with esme:
                checks.equal("its program ends well", esme.wait(60), 0)
                check_session(checks, esme)
                check_answers(checks, esme)
                mo = [event["destination"] for event in esme.events("mo")]
                checks.check("MO for 12345 arrives", len(mo) >= 2 and set(mo) == {"12345"}, mo)
        counts = smsc.stop_and_count()
        checks.equal("the SMSC saw each message once", counts["submits"], MESSAGES + 1)
        checks.equal("no PDU was malformed for the SMSC", counts["malformed"], 0)
    return checks


def check_octets(checks, esme, smsc):
    sent = {answer["name"]: answer["body"] for answer in esme.events("answer")}
    arrived = [event["body"] for event in smsc.events("submit") if event["command"] == "submit_sm"]
    for name, body in sent.items():
        checks.check(f"message '{name}' arrives octet by octet", body in arrived, body[:160])


def check_smsc(surroundings):
    checks = Checks("node-smsc")
    with NodeSmsc(surroundings) as smsc, start_router(surroundings, smsc.port) as router:
        if not surroundings.direct:
            smsc.wait_for_count('"event":"bind".*"ok":true', 2)
        esme = NodeProgram(surroundings, "esme.js", router.port, *surroundings.account, 1)
        with esme:
            checks.equal("node-smpp's ESME ends well", esme.wait(60), 0)
            if not surroundings.direct:
                check_session(checks, esme)
                check_answers(checks, esme)
            check_octets(checks, esme, smsc)
            mo = [event["text"] for event in esme.events("mo")]
            whole = all(len(text) == 1000 for text in mo)
            checks.check("MO with a long message_payload arrives", mo and whole, mo)
        if not surroundings.direct:
            check_load(checks, surroundings, router.port)
        throttled = ["--messages", "1", "--to-prefix", "46799", "--allow-refusals", "--json"]
        statuses = run_esme(surroundings, router.port, throttled)["statuses"]
        checks.equal("a status of the SMSC's reaches the ESME", statuses, {"ESME_RTHROTTLED": 1})
        router.stop()
        if not surroundings.direct:
            checks.equal("the router unbinds", len(smsc.events("unbind")) >= 2, True)
    return checks


def run_esme(surroundings, port, options):
    command = [surroundings.programs / "smpp-bench", "esme", "--port", port]
    if "--accounts" not in options:
        command += ["--accounts", ":".join(surroundings.account)]
    command += options
    with Program(command) as esme:
        esme.wait(60)
        return json.loads(esme.lines[-1])


def check_load(checks, surroundings, port):
    load = ["--messages", "500", "--binds", "4", "--window", "10", "--registered", "--json"]
    figures = run_esme(surroundings, port, load)
    checks.equal("500 messages get their answers and receipts", figures["complaints"], [])


def run(surroundings):
    return [check_esme(surroundings), check_smsc(surroundings)]
