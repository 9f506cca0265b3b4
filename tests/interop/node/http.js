// Sends messages with receipts by HTTP, several at a time: http.js URL AUTHORIZATION COUNT. Prints a
// line for each answer: {"status", "id"}.
'use strict';

const [url, authorization, count] = process.argv.slice(2);
const AT_ONCE = 20;
const headers = {'Authorization': authorization, 'Content-Type': 'application/json'};
let next = 0;

async function send() {
    while (next < Number(count)) {
        const to = '+41791' + String(next++).padStart(6, '0');
        const body = JSON.stringify({from: 'Shop', to, text: 'from node', receipt: true});
        const answer = await fetch(url, {method: 'POST', headers, body});
        const {id} = await answer.json();
        console.log(JSON.stringify({status: answer.status, id}));
    }
}

Promise.all(Array.from({length: AT_ONCE}, send));
