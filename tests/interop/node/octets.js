// Gives each PDU of node-smpp its body as it is on the wire, in hex: pdu.body.
'use strict';

const { PDU } = require('smpp');

const headerOctets = 16;
const { fromBuffer, toBuffer } = PDU.prototype;

PDU.prototype.fromBuffer = function (buffer) {
    this.body = buffer.toString('hex', headerOctets);
    return fromBuffer.call(this, buffer);
};

PDU.prototype.toBuffer = function () {
    const buffer = toBuffer.call(this);
    this.body = buffer.toString('hex', headerOctets);
    return buffer;
};
