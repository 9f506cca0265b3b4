// A proxy made of node-smpp: what load_curve.py measures sms-router beside. It passes each submit_sm
// of an ESME to the next of its binds to the SMSC, and the answer back. It takes any password, keeps
// nothing and passes no receipts.
//
//     node node_proxy.js SMSC_PORT BINDS
'use strict';

const smpp = require('smpp');

const [smscPort, binds] = process.argv.slice(2).map(Number);
const upstream = [];
let turn = 0;

function pass(esme, pdu) {
    const { sequence_number } = pdu;
    pdu.sequence_number = 0; // send() chooses one of its own
    turn = (turn + 1) % binds;
    upstream[turn].send(pdu, (answer) => {
        const own = answer.sequence_number; // node-smpp needs it again afterwards
        answer.sequence_number = sequence_number;
        esme.send(answer);
        answer.sequence_number = own;
    });
}

function serve(esme) {
    for (const command of ['bind_transceiver', 'bind_transmitter', 'unbind', 'enquire_link']) {
        esme.on(command, (pdu) => esme.send(pdu.response()));
    }
    esme.on('submit_sm', (pdu) => pass(esme, pdu));
    esme.on('error', () => esme.close());
}

function listen() {
    const server = smpp.createServer({}, serve);
    server.listen(0, '127.0.0.1', () => {
        console.log(`node proxy listening on 127.0.0.1:${server.address().port}`);
    });
}

function bind() {
    const session = smpp.connect({ host: '127.0.0.1', port: smscPort }, () => {
        session.bind_transceiver({ system_id: 'router', password: 'secret' }, (answer) => {
            if (answer.command_status !== 0) throw new Error(`bind: ${answer.command_status}`);
            if (upstream.push(session) === binds) listen();
        });
    });
    session.on('enquire_link', (pdu) => session.send(pdu.response()));
}

for (let i = 0; i < binds; ++i) bind();
