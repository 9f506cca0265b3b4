// An SMSC made of node-smpp: prints where it listens, then one line of JSON for each PDU that came.
// Ends on SIGTERM.
//
//     node smsc.js SYSTEM_ID PASSWORD
//
// Each message that asks for it gets a receipt; a message to a number that begins with 46799 is
// answered ESME_RTHROTTLED. Every bind that receives gets one MO for 12345 with a long
// message_payload.
'use strict';

const smpp = require('smpp');
require('./octets');

const [systemId, password] = process.argv.slice(2);
let messages = 0;

function say(event, more) {
    console.log(JSON.stringify({ event, ...more }));
}

// The classic trouble: hex with leading zeros in the answer, and without them, in other letters, in
// the receipt.
function idOfAnswer(number) {
    return number.toString(16).padStart(12, '0');
}

function receipt(session, pdu, number) {
    const id = number.toString(16).toUpperCase();
    const text =
        `id:${id} sub:001 dlvrd:001 submit date:2401010000 done date:2401010000 ` +
        'stat:DELIVRD err:000 text:';
    session.deliver_sm(
        {
            esm_class: 4,
            source_addr: pdu.destination_addr,
            source_addr_ton: pdu.dest_addr_ton,
            source_addr_npi: pdu.dest_addr_npi,
            destination_addr: pdu.source_addr,
            dest_addr_ton: pdu.source_addr_ton,
            dest_addr_npi: pdu.source_addr_npi,
            short_message: Buffer.from(text),
        },
        (answer) => say('acknowledged', { status: answer.command_status }),
    );
}

function submitted(session, pdu) {
    const throttled = pdu.destination_addr.startsWith('46799');
    say('submit', {
        command: pdu.command,
        to: pdu.destination_addr,
        body: pdu.body,
        vendor_note: pdu.vendor_note && pdu.vendor_note.toString('hex'),
        user_message_reference: pdu.user_message_reference,
        source_port: pdu.source_port,
    });
    if (throttled) return session.send(pdu.response({ command_status: smpp.ESME_RTHROTTLED }));
    const number = 0xabc000 + ++messages;
    session.send(pdu.response({ message_id: idOfAnswer(number) }));
    if (pdu.registered_delivery & 1) setTimeout(() => receipt(session, pdu, number), 30);
}

function mo(session) {
    session.deliver_sm(
        {
            source_addr: '46709999999',
            destination_addr: '12345',
            short_message: Buffer.alloc(0),
            message_payload: Buffer.alloc(1000, 'mo '),
        },
        (answer) => say('mo_acknowledged', { status: answer.command_status }),
    );
}

function bound(session, pdu) {
    const ok = pdu.system_id === systemId && pdu.password === password;
    say('bind', { command: pdu.command, ok, version: pdu.interface_version });
    const command_status = ok ? 0 : smpp.ESME_RINVPASWD;
    session.send(pdu.response({ system_id: 'node', sc_interface_version: 0x34, command_status }));
    if (ok && pdu.command !== 'bind_transmitter') setTimeout(() => mo(session), 200);
}

smpp.addTLV('vendor_note', { id: 0x1501, type: smpp.types.tlv.buffer });

const server = smpp.createServer({}, (session) => {
    session.on('error', (error) => say('error', { message: error.message }));
    for (const command of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
        session.on(command, (pdu) => bound(session, pdu));
    }
    session.on('submit_sm', (pdu) => submitted(session, pdu));
    session.on('data_sm', (pdu) => submitted(session, pdu));
    session.on('query_sm', (pdu) => {
        say('query', { id: pdu.message_id });
        session.send(pdu.response({ message_id: pdu.message_id, message_state: 2 }));
    });
    session.on('enquire_link', (pdu) => session.send(pdu.response()));
    session.on('unbind', (pdu) => {
        say('unbind');
        session.send(pdu.response());
        session.close();
    });
});
server.listen(0, '127.0.0.1', () => {
    console.log(`smsc listening on 127.0.0.1:${server.address().port}`);
});
process.on('SIGTERM', () => process.exit(0));
