const nothing = '–';
const byId = id => document.getElementById(id);

// What does not change is not touched: a selection, a focus, a reader stay where they are.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function setClass(node, name) {
  if (node.className !== name) node.className = name;
}
function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}
function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
function show(id, text) {
  setText(byId(id), text);
}

// Children that are strings become text, never markup.
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Makes the list's items say these texts.
function setItems(list, texts) {
  while (list.children.length > texts.length) list.lastChild.remove();
  while (list.children.length < texts.length) list.append(make('li', {}));
  texts.forEach((text, i) => setText(list.children[i], text));
}

const wholeFormat = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const count = number => wholeFormat.format(number);

function rateText(perSecond) {
  if (perSecond === null) return nothing;
  if (perSecond === 0) return '0';
  return perSecond < 99.95 ? perSecond.toFixed(1) : count(perSecond);
}

function scaled(number, units) {
  let i = 0;
  while (i + 1 < units.length && number >= units[i + 1][0]) ++i;
  const value = number / units[i][0];
  return (value < 9.95 && i > 0 ? value.toFixed(1) : count(value)) + ' ' + units[i][1];
}
const bytesText = number =>
    scaled(number, [[1, 'B'], [1024, 'KiB'], [1024 ** 2, 'MiB'], [1024 ** 3, 'GiB']]);
const timeText = microseconds => microseconds === null ? nothing :
    scaled(microseconds, [[1, 'µs'], [1000, 'ms'], [1e6, 's']]);

function ageText(seconds) {
  const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = parts.findIndex(([size]) => seconds >= size);
  if (first < 0) return '0 s';
  return parts.slice(first, first + 2).map(([size, unit], i) => {
    const value = i === 0 ? Math.floor(seconds / size)
                          : Math.floor(seconds % parts[first][0] / size);
    return i > 0 && value === 0 ? '' : value + ' ' + unit;
  }).filter(part => part).join(' ');
}

const clockText = (time = Date.now()) => new Date(time).toLocaleTimeString('en-GB');
