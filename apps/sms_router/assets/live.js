const curves = Object.fromEntries(['in', 'accepted', 'receipts'].map(
    id => [id, new Curve(id)]));

function showRate(id, counter, more) {
  const rate = rates.of('total ' + id, counter);
  show(id, rateText(rate));
  show(id + '-more', more);
  curves[id].add(rates.time, rate);
}

function share(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(1)} % of answers` : 'no answers yet';
}

function showTiles(status) {
  const totals = status.totals;
  showRate('in', totals.submitted, count(totals.submitted) + ' in all');
  showRate('accepted', totals.accepted, share(totals.accepted, totals.accepted + totals.refused));
  showRate('receipts', totals.receipts, count(totals.receipts) + ' in all');
  show('bound', count(totals.bound));
  const bound = status.accounts.filter(account => account.bound > 0).length;
  show('bound-more', `${count(bound)} of ${count(status.accounts.length)} accounts`);
  show('live', `${count(totals.connectorsLive)} / ${count(status.connectors.length)}`);
  show('live-more', totals.connectorsStopped > 0 ? count(totals.connectorsStopped) + ' stopped'
                                                 : 'none stopped');
  show('kept', count(totals.kept));
  show('kept-more', bytesText(totals.keptBytes));
  show('alarm', count(status.alarms.length));
  show('alarm-more', status.alarms.length > 0 ? 'see above' : 'none');
  setClass(byId('alarm-tile'), status.alarms.length > 0 ? 'tile alarming' : 'tile');
}

function showFacts(status) {
  for (const name of ['connections', 'httpConnections', 'refusedBinds', 'malformed',
                      'duplicateReceipts', 'unmatchedReceipts']) {
    show(name, count(status[name]));
  }
  show('durability', status.store.durable ? 'on disk' : 'in memory');
  show('commits', rateText(rates.of('commits', status.store.commits)));
  show('failedCommits', count(status.store.failedCommits));
  show('storeQueued', count(status.store.queued));
}

function showStatus(status) {
  rates.next(status);
  show('version', status.version);
  show('uptime', 'up ' + ageText(status.uptimeSeconds));
  setItems(byId('alarm-list'), status.alarms);
  setHidden(byId('alarms'), status.alarms.length === 0);
  showTiles(status);
  showConnectors(status.connectors);
  showAccounts(status.accounts);
  showStages(status);
  showFacts(status);
}

const interval = 1000;
const patience = 5000;
const longestQuery = 1500;

// The single binds are asked for only where they are to be seen; all of them, if the names of
// those would be too long.
function statusPath() {
  const wanted = new URLSearchParams({binds: 'none'});
  for (const table of [connectorTable, accountTable]) {
    for (const name of table.openNames()) wanted.append(table.bindsOf, name);
  }
  const query = wanted.toString();
  return query.length <= longestQuery ? 'status.json?' + query : 'status.json';
}

const alarmsText = alarms => alarms === 1 ? '1 alarm' : count(alarms) + ' alarms';

function showConnected(status) {
  const alarms = status.alarms.length;
  setClass(byId('lamp'), alarms > 0 ? 'lamp alarming' : 'lamp on');
  show('state', status.draining ? 'Stopping: it drains'
      : alarms > 0 ? 'Live, with ' + alarmsText(alarms) : 'Live');
  setHidden(byId('lost'), true);
}

let lastSeen = '';

function showLost(text) {
  setClass(byId('lamp'), 'lamp off');
  show('state', 'No connection');
  show('lost', lastSeen ? `${text} What is below is from ${lastSeen}.` : text);
  setHidden(byId('lost'), false);
}

// Nothing when there is none, which the page says then.
async function fetchStatus() {
  const answer = await fetch(statusPath(), {cache: 'no-store', credentials: 'same-origin',
                                            signal: AbortSignal.timeout(patience)})
      .catch(() => null);
  if (!answer) return showLost('No connection to the router; trying again.');
  if (answer.status === 401) {
    return showLost('The token is not accepted any more: load this page again.');
  }
  const status = answer.ok ? await answer.json().catch(() => null) : null;
  return status || showLost(`The router answered ${answer.status}, without its status.`);
}

let timer = 0;
let asking = false;
let askAgain = false;

async function askRouter() {
  const status = await fetchStatus();
  if (!status) return;
  lastSeen = clockText();
  showConnected(status);
  showStatus(status);
}

async function askNow() {
  clearTimeout(timer);
  askAgain = asking;
  if (asking) return;
  asking = true;
  try {
    await askRouter();
  } finally {
    asking = false;
    if (!document.hidden) timer = setTimeout(askNow, askAgain ? 0 : interval);
  }
}

// Nobody looks: nothing is asked.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    clearTimeout(timer);
    show('state', 'Paused');
  } else {
    askNow();
  }
});

askNow();
