// An ESME made of node-smpp: goes through its program and prints one line of JSON for each thing
// that happened. What is right, the caller judges.
//
//     node esme.js PORT SYSTEM_ID PASSWORD EXPECTED_MO
'use strict';

const smpp = require('smpp');
require('./octets');

const [port, systemId, password, expectedMo] = process.argv.slice(2);
const from = { source_addr_ton: 1, source_addr_npi: 1, source_addr: '12345' };
const to = { dest_addr_ton: 1, dest_addr_npi: 1 };

smpp.addTLV('vendor_note', { id: 0x1501, type: smpp.types.tlv.buffer });

function say(event, more) {
    console.log(JSON.stringify({ event, ...more }));
}

function udh(part, parts) {
    return Buffer.from([5, 0, 3, 0x42, parts, part]);
}

// By name: what is special about each message.
const messages = {
    plain: { short_message: Buffer.from('plain text') },
    ucs2: { data_coding: 8, short_message: Buffer.from('043f04400438043204350442', 'hex') },
    part1: {
        esm_class: 0x40,
        short_message: Buffer.concat([udh(1, 2), Buffer.alloc(134, 'a')]),
    },
    part2: { esm_class: 0x40, short_message: Buffer.concat([udh(2, 2), Buffer.from('the end')]) },
    binary: {
        data_coding: 4,
        short_message: Buffer.from(Array.from({ length: 254 }, (_, i) => i)),
    },
    tlvs: {
        short_message: Buffer.from('with TLVs'),
        user_message_reference: 4711,
        vendor_note: Buffer.from('00ff10c0ffee', 'hex'),
        source_port: 16000,
    },
    payload: { message_payload: Buffer.alloc(5000, 'long '), short_message: Buffer.alloc(0) },
};

function request(session, name, options) {
    return new Promise((resolve) => session[name](options, resolve));
}

function connect() {
    return new Promise((resolve, reject) => {
        const place = { host: '127.0.0.1', port: Number(port) };
        const session = smpp.connect(place, () => resolve(session));
        session.on('error', reject);
    });
}

async function refusedBind() {
    const session = await connect();
    const answer = await request(session, 'bind_transceiver', {
        system_id: systemId,
        password: 'wrong',
    });
    say('refused', { status: answer.command_status });
    session.close();
}

async function wrongState() {
    const session = await connect();
    const answer = await request(session, 'submit_sm', { ...from, ...to, destination_addr: '467' });
    say('unbound', { status: answer.command_status, command: answer.command });
    session.close();
}

function listen(session, owed) {
    const seen = (pdu) => {
        session.send(pdu.response());
        const receipt = (pdu.esm_class & 0x3c) === 4;
        const message = pdu.short_message.message || pdu.message_payload;
        const text = message.message || message;
        say(receipt ? 'receipt' : 'mo', {
            id: pdu.receipted_message_id,
            state: pdu.message_state,
            source: pdu.source_addr,
            destination: pdu.destination_addr,
            text: Buffer.isBuffer(text) ? text.toString('latin1') : text,
        });
        owed.count(receipt);
    };
    session.on('deliver_sm', seen);
    session.on('enquire_link', (pdu) => session.send(pdu.response()));
}

class Owed {
    constructor(receipts, mo) {
        this.receipts = receipts;
        this.mo = mo;
        this.done = new Promise((resolve) => (this.resolve = resolve));
        this.count();
    }
    count(receipt) {
        if (receipt === true) --this.receipts;
        if (receipt === false) --this.mo;
        if (this.receipts <= 0 && this.mo <= 0) this.resolve();
    }
}

async function submitAll(session) {
    let last;
    for (const [name, special] of Object.entries(messages)) {
        const pdu = new smpp.PDU('submit_sm', {
            ...from,
            ...to,
            destination_addr: '46701234567',
            registered_delivery: 1,
            ...special,
        });
        const answer = await new Promise((resolve) => session.send(pdu, resolve));
        say('answer', {
            name,
            status: answer.command_status,
            id: answer.message_id,
            body: pdu.body,
        });
        last = answer.message_id;
    }
    return last;
}

async function main() {
    await refusedBind();
    await wrongState();
    const session = await connect();
    const owed = new Owed(Object.keys(messages).length, Number(expectedMo));
    listen(session, owed);
    const bound = await request(session, 'bind_transceiver', {
        system_id: systemId,
        password,
        interface_version: 0x34,
    });
    say('bound', { status: bound.command_status, version: bound.sc_interface_version });
    const id = await submitAll(session);
    const link = await request(session, 'enquire_link');
    say('enquired', { status: link.command_status });
    const query = await request(session, 'query_sm', { message_id: id, ...from });
    say('queried', { status: query.command_status, id: query.message_id === id });
    const data = await request(session, 'data_sm', {
        ...from,
        ...to,
        destination_addr: '46701234567',
        message_payload: Buffer.from('by data_sm'),
    });
    say('data_sm', { status: data.command_status, id: data.message_id });
    const timeout = setTimeout(() => owed.resolve(), 15000);
    await owed.done;
    clearTimeout(timeout);
    const unbound = await request(session, 'unbind');
    say('unbind', { status: unbound.command_status });
    session.on('close', () => say('closed'));
    session.close();
}

main().catch((error) => {
    say('error', { message: error.message });
    process.exitCode = 1;
});
