// What a page looks like to the browser: the body of a function that returns all findings. Texts
// in closed <details> count too: they are opened first.

const smallestContrast = 4.5;

function rgba(colour) {
  const parts = colour.match(/^rgba?\(([^)]*)\)$/);
  if (!parts) throw new Error('a colour that the test does not know: ' + colour);
  const [red, green, blue, alpha = 1] = parts[1].split(/[\s,/]+/).map(Number);
  return {red, green, blue, alpha};
}

function over(front, back) {
  const mix = (a, b) => a * front.alpha + b * (1 - front.alpha);
  return {red: mix(front.red, back.red), green: mix(front.green, back.green),
          blue: mix(front.blue, back.blue), alpha: 1};
}

// WCAG 2.2, relative luminance and contrast ratio.
function luminance(colour) {
  const linear = [colour.red, colour.green, colour.blue].map(value => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function ancestors(element) {
  const all = [];
  for (let e = element; e; e = e.parentElement) all.push(e);
  return all;
}

function backOf(element) {
  const canvas = rgba('rgb(255, 255, 255)');
  return ancestors(element).reverse().reduce(
      (back, e) => over(rgba(getComputedStyle(e).backgroundColor), back), canvas);
}

function contrastOf(element) {
  const style = getComputedStyle(element);
  const colour = rgba(element instanceof SVGElement ? style.fill : style.color);
  for (const e of ancestors(element)) colour.alpha *= Number(getComputedStyle(e).opacity);
  const back = backOf(element);
  return contrast(over(colour, back), back);
}

function isVisible(element) {
  return element.getClientRects().length > 0 &&
      getComputedStyle(element).visibility === 'visible';
}

// Elements that have text of their own.
function texts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() && isVisible(element)) found.add(element);
  }
  return [...found];
}

function faintTexts() {
  return texts()
      .map(e => ({text: e.textContent.trim().slice(0, 40), contrast: contrastOf(e)}))
      .filter(found => !(found.contrast >= smallestContrast));
}

function lineOf(path) {
  const d = path.getAttribute('d');
  const commands = d.includes('H') ? /H/g : /[ML]/g;
  return {name: path.dataset.name, said: Number(path.dataset.points),
          drawn: (d.match(commands) || []).length};
}

function barOf(rect) {
  return {from: Number(rect.dataset.from), to: Number(rect.dataset.to),
          percent: Number(rect.dataset.value), height: rect.getBoundingClientRect().height};
}

// Lines and bars that are not where the plot is.
function strays(plot) {
  const frame = plot.getBoundingClientRect();
  const room = 4;
  return [...plot.querySelectorAll('.line, .bar, .band, circle')].filter(drawn => {
    const box = drawn.getBoundingClientRect();
    return box.left < frame.left - room || box.right > frame.right + room ||
        box.top < frame.top - room || box.bottom > frame.bottom + room;
  }).length;
}

function plotOf(plot) {
  const box = plot.getBoundingClientRect();
  return {label: plot.getAttribute('aria-label') || '', role: plot.getAttribute('role'),
          width: box.width, height: box.height, strays: strays(plot),
          lines: [...plot.querySelectorAll('path.line')].map(lineOf),
          bars: [...plot.querySelectorAll('rect.bar')].map(barOf)};
}

function collide(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function collidingLabels() {
  const found = [];
  for (const plot of document.querySelectorAll('svg.plot')) {
    const labels = [...plot.querySelectorAll('text')].filter(isVisible);
    labels.forEach((a, i) => labels.slice(i + 1).forEach(b => {
      if (collide(a.getBoundingClientRect(), b.getBoundingClientRect()))
        found.push(a.textContent + ' | ' + b.textContent);
    }));
  }
  return found;
}

for (const details of document.querySelectorAll('details')) details.open = true;
return {
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
  background: getComputedStyle(document.body).backgroundColor,
  width: innerWidth,
  contentWidth: document.documentElement.scrollWidth,
  texts: texts().length,
  faintTexts: faintTexts(),
  collidingLabels: collidingLabels(),
  headings: [...document.querySelectorAll('h2')].map(e => e.textContent),
  legend: [...document.querySelectorAll('.legend li')].map(e => e.textContent),
  plots: [...document.querySelectorAll('svg.plot')].map(plotOf),
};
