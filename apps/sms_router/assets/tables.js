const mostBindsShown = 200;

// A table whose rows stay where they are while their texts change. Each row has one more below it,
// for its binds, which a button opens.
class LiveTable {
  constructor(id, bindsOf, makeRow) {
    this.table = byId(id);
    this.empty = byId('no-' + id);
    this.title = byId(id + '-title');
    this.labels = [...this.table.tHead.rows[0].cells].map(cell => cell.textContent);
    this.bindsOf = bindsOf;
    this.makeRow = makeRow;
    this.rows = new Map();
  }
  openNames() {
    return [...this.rows].filter(([, row]) => row.isOpen()).map(([name]) => name);
  }
  show(items, nameOf) {
    const names = new Set(items.map(nameOf));
    for (const [name, row] of this.rows) {
      if (!names.has(name)) this.remove(name, row);
    }
    for (const item of items) this.rowOf(nameOf(item)).show(item);
    setHidden(this.table, items.length === 0);
    setHidden(this.empty, items.length > 0);
  }
  rowOf(name) {
    if (!this.rows.has(name)) {
      const row = this.makeRow(name, this.labels);
      this.rows.set(name, row);
      this.table.tBodies[0].append(row.line, row.detail);
    }
    return this.rows.get(name);
  }
  remove(name, row) {
    const focused = row.line.contains(document.activeElement);
    row.line.remove();
    row.detail.remove();
    this.rows.delete(name);
    if (focused) this.title.focus();
  }
}

let rowNumber = 0;

class LiveRow {
  constructor(name, labels) {
    const detailId = 'detail-' + ++rowNumber;
    this.name = name;
    this.labels = labels;
    this.button = make('button', {type: 'button', class: 'more', 'aria-expanded': 'false',
                                  'aria-controls': detailId}, name);
    this.address = make('div', {class: 'address dim'});
    this.line = make('tr', {role: 'row'},
                     make('th', {scope: 'row', role: 'rowheader'}, this.button, this.address));
    this.binds = new BindTable(name);
    this.detail = make('tr', {class: 'detail', id: detailId, role: 'row', hidden: ''},
                       make('td', {colspan: labels.length, role: 'cell'}, this.binds.node));
    this.button.addEventListener('click', () => this.toggle());
  }
  cell(kind, ...children) {
    const label = this.labels[this.line.cells.length];
    const cell = make('td', {class: kind, role: 'cell', 'data-label': label}, ...children);
    this.line.append(cell);
    return cell;
  }
  isOpen() {
    return !this.detail.hidden;
  }
  toggle() {
    setHidden(this.detail, this.isOpen());
    this.button.setAttribute('aria-expanded', String(this.isOpen()));
    setClass(this.line, this.isOpen() ? 'open' : '');
    if (this.isOpen()) askNow();
  }
  showError(cell, text) {
    setText(cell, text);
    setClass(cell, text ? 'error' : 'error blank');
  }
  hide(hidden) {
    setHidden(this.line, hidden);
    if (hidden && this.isOpen()) this.toggle();
  }
}

const bindLabels = ['Bind', 'State', 'Peer', 'Open for', 'In flight', 'Dispatcher'];

class BindTable {
  constructor(name) {
    const heads = bindLabels.map(label => make('th', {scope: 'col', role: 'columnheader'}, label));
    this.body = make('tbody', {role: 'rowgroup'});
    this.table = make('table', {class: 'rows', role: 'table', 'aria-label': 'Binds of ' + name},
                      make('thead', {role: 'rowgroup'}, make('tr', {role: 'row'}, ...heads)),
                      this.body);
    this.note = make('p', {class: 'none'}, 'Loading …');
    this.node = make('div', {}, this.table, this.note);
    this.table.hidden = true;
    this.rows = new Map();
  }
  show(binds) {
    const shown = binds.slice(0, mostBindsShown);
    const numbers = new Set(shown.map(bind => bind.number));
    for (const [number, row] of this.rows) {
      if (numbers.has(number)) continue;
      row.remove();
      this.rows.delete(number);
    }
    for (const bind of shown) this.fill(this.rowOf(bind.number), bind);
    setHidden(this.table, shown.length === 0);
    const more = binds.length - shown.length;
    setText(this.note, more > 0 ? `… and ${count(more)} more` : 'No bind.');
    setHidden(this.note, shown.length > 0 && more === 0);
  }
  rowOf(number) {
    if (!this.rows.has(number)) {
      const cells = bindLabels.map(label => make('td', {role: 'cell', 'data-label': label}));
      const row = make('tr', {role: 'row'}, ...cells);
      this.rows.set(number, row);
      this.body.append(row);
    }
    return this.rows.get(number);
  }
  fill(row, bind) {
    const flight = `${count(bind.outstandingIn)} in, ${count(bind.outstandingOut)} out` +
        (bind.window > 0 ? ` of ${count(bind.window)}` : '');
    [bind.kind, bind.state, bind.peer + (bind.tls ? ' (TLS)' : ''), ageText(bind.ageSeconds),
     flight, bind.dispatcher].forEach((text, i) => setText(row.cells[i], text));
  }
}

const rates = new Rates();
const stateStyles = {live: 'badge good', receives: 'badge good', down: 'badge bad',
                     stopped: 'badge off'};

const throttledText = connector => connector.throttledUntilMilliseconds === null ? ''
    : 'throttled until ' + clockText(connector.throttledUntilMilliseconds);

// What the requests of a connector wait for; empty: nothing that shows.
function queueReason(connector) {
  if (connector.queued === 0) return '';
  if (!connector.live) return 'no bind';
  if (connector.window > 0 && connector.outstanding >= connector.window) return 'window full';
  return throttledText(connector) || (connector.allowedPerSecond > 0 ? 'rate limit' : '');
}

class ConnectorRow extends LiveRow {
  constructor(name, labels) {
    super(name, labels);
    this.badge = make('span', {});
    this.cell('', this.badge);
    this.bound = this.cell('number');
    this.fill = make('i', {});
    this.bar = make('span', {class: 'bar', 'aria-hidden': 'true'}, this.fill);
    this.use = make('span', {class: 'use'});
    this.cell('', make('div', {}, this.use, this.bar));
    this.queued = this.cell('number');
    this.sent = this.cell('number');
    this.refused = this.cell('number');
    this.error = this.cell('error');
    this.switch = make('button', {type: 'button'});
    this.line.append(make('td', {class: 'do', role: 'cell'}, this.switch));
    this.switch.addEventListener('click', () => switchConnector(this));
  }
  show(connector) {
    setText(this.address, connector.address);
    this.showState(connector);
    setText(this.bound, `${count(connector.bound)} / ${count(connector.bindCount)}`);
    this.showWindow(connector.outstanding, connector.window);
    const why = queueReason(connector);
    setText(this.queued, count(connector.queued) + (why ? ` (${why})` : ''));
    this.showRates(connector);
    this.showError(this.error, connector.lastError);
    if (connector.binds) this.binds.show(connector.binds);
  }
  showState(connector) {
    if (this.state !== undefined && this.state !== connector.state) {
      show('news', `Connector ${this.name} is ${connector.state}.`);
    }
    this.state = connector.state;
    this.stopped = connector.stopped;
    setText(this.badge, connector.state);
    const style = stateStyles[connector.state] || 'badge off';
    const isFine = connector.alarms.length === 0;
    setClass(this.badge, style === 'badge good' && !isFine ? 'badge warn' : style);
    if (this.switch.getAttribute('aria-busy') !== 'true') this.showSwitch();
  }
  showSwitch(busy) {
    setAttribute(this.switch, 'aria-busy', String(Boolean(busy)));
    setText(this.switch, busy || (this.stopped ? 'Start' : 'Stop'));
    setAttribute(this.switch, 'aria-label', this.switch.textContent + ' ' + this.name);
  }
  showWindow(used, size) {
    setText(this.use, `${count(used)} / ${count(size)}`);
    const part = size > 0 ? Math.min(1, used / size) : 0;
    this.fill.style.width = (100 * part).toFixed(1) + '%';
    setClass(this.bar, part >= 1 ? 'bar full' : 'bar');
  }
  showRates(connector) {
    const key = 'connector ' + this.name;
    const sent = rates.of(key + ' sent', connector.counters.submitted);
    const limit = connector.allowedPerSecond;
    const throttled = connector.queued === 0 && throttledText(connector);
    setText(this.sent, rateText(sent) + (limit > 0 ? ' of ' + rateText(limit) : '') +
            (throttled ? ` (${throttled})` : ''));
    setText(this.refused, rateText(rates.of(key + ' refused', connector.counters.refused)));
  }
}

function webhookText(webhook) {
  const is = webhook.failures === 0 ? 'is well'
      : `has failed ${count(webhook.failures)} times in a row, for ` +
        `${ageText(webhook.failsForSeconds)}: ${webhook.lastError}`;
  return `The webhook at ${webhook.host} ${is}; posts under way: ${count(webhook.posts)}.`;
}

// What there is besides binds; empty: nothing.
function otherWaysText(account) {
  const answers = Object.entries(account.httpAnswers).map(
      ([status, number]) => `${count(number)} with ${status}`);
  return [
    account.waiting > 0 ? `Receipts and messages not acknowledged: ${count(account.waiting)}.` : '',
    account.webhook ? webhookText(account.webhook) : '',
    answers.length > 0 ? `HTTP requests answered: ${answers.join(', ')}.` : '',
  ].filter(text => text).join(' ');
}

class AccountRow extends LiveRow {
  constructor(name, labels) {
    super(name, labels);
    this.bound = this.cell('number');
    this.rateCells = ['submitted', 'accepted', 'refused', 'receipts', 'delivered'].map(
        counter => ({counter, cell: this.cell('number')}));
    this.kept = this.cell('number');
    this.error = this.cell('error');
    this.otherWays = make('p', {class: 'none'});
    this.binds.node.prepend(this.otherWays);
  }
  show(account) {
    setText(this.bound, `${count(account.bound)} / ${count(account.maxBinds)}`);
    const otherWays = otherWaysText(account);
    setText(this.otherWays, otherWays);
    setHidden(this.otherWays, otherWays === '');
    for (const {counter, cell} of this.rateCells) {
      const key = 'account ' + this.name + ' ' + counter;
      setText(cell, rateText(rates.of(key, account.counters[counter])));
    }
    const size = account.kept > 0 ? ` (${bytesText(account.keptBytes)})` : '';
    setText(this.kept, count(account.kept) + size);
    this.showError(this.error, account.lastError);
    if (account.binds) this.binds.show(account.binds);
  }
}

const connectorTable = new LiveTable('connectors', 'connector',
                                     (name, labels) => new ConnectorRow(name, labels));
const accountTable = new LiveTable('accounts', 'account',
                                   (name, labels) => new AccountRow(name, labels));

const filterFrom = 10;

function applyFilter() {
  const wanted = byId('filter').value.toLowerCase();
  for (const [name, row] of accountTable.rows) {
    row.hide(!name.toLowerCase().includes(wanted));
  }
}

function offerNames(id, names) {
  const list = byId(id);
  if (names.join('\n') === [...list.children].map(option => option.value).join('\n')) return;
  list.replaceChildren(...names.map(name => make('option', {value: name})));
}

function showConnectors(connectors) {
  connectorTable.show(connectors, connector => connector.name);
  offerNames('connector-names', connectors.map(connector => connector.name));
}

function showAccounts(accounts) {
  accountTable.show(accounts, account => account.systemId);
  setHidden(byId('filter'), accounts.length < filterFrom && byId('filter').value === '');
  applyFilter();
  offerNames('account-names', accounts.map(account => account.systemId));
}

byId('filter').addEventListener('input', applyFilter);
