// From counters to changes per second, between the last two answers.
class Rates {
  constructor() {
    this.values = new Map();
    this.uptime = 0;
    this.time = 0;
    this.seconds = 0;
  }
  // A router that was started anew counts from nothing.
  next(status) {
    const time = status.takenMilliseconds / 1000;
    if (status.uptimeSeconds < this.uptime) this.values.clear();
    this.seconds = time - this.time;
    this.time = time;
    this.uptime = status.uptimeSeconds;
  }
  // null: not known yet.
  of(name, value) {
    const before = this.values.get(name);
    this.values.set(name, value);
    if (before === undefined || !(this.seconds > 0)) return null;
    return Math.max(0, value - before) / this.seconds;
  }
}

// The last two minutes of a rate: from 0 to its largest value, which is named, as is the time that
// is shown.
class Curve {
  constructor(id) {
    this.area = byId(id + '-curve').querySelector('.area');
    this.line = byId(id + '-curve').querySelector('.line');
    this.id = id;
    this.points = [];
  }
  add(time, value) {
    if (value === null) return;
    this.points.push({time, value});
    while (this.points[0].time < time - 120) this.points.shift();
    this.draw(time);
  }
  draw(now) {
    const most = Math.max(...this.points.map(point => point.value));
    const seconds = Math.max(30, now - this.points[0].time);
    const xOf = point => (119 - 119 * (now - point.time) / seconds).toFixed(2);
    const yOf = point => (29 - 28 * point.value / (most || 1)).toFixed(2);
    show(this.id + '-span', 'last ' + ageText(Math.round(seconds)));
    show(this.id + '-most', 'max ' + rateText(most));
    if (this.points.length < 2) return;
    const line = this.points.map(point => `${xOf(point)} ${yOf(point)}`).join('L');
    this.line.setAttribute('d', 'M' + line);
    this.area.setAttribute('d', `M${xOf(this.points[0])} 30L${line}L119 30Z`);
  }
}

// The upper bound of a percentile in microseconds, of counts by powers of two.
function percentile(buckets, fraction) {
  const total = buckets.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(fraction * total));
  const bucket = buckets.findIndex(n => (left -= n) <= 0);
  return bucket + 1 < buckets.length ? 2 ** bucket : Infinity;
}

const boundText = (buckets, fraction) => {
  const bound = percentile(buckets, fraction);
  return bound === Infinity ? '> ' + timeText(2 ** (buckets.length - 2)) : timeText(bound);
};

// What was counted in the last minute, out of what was counted since the start.
class LastMinute {
  constructor() {
    this.past = [];
  }
  of(time, buckets) {
    const begins = this.past.length > 0 && buckets.some((n, i) => n < this.past.at(-1).buckets[i]);
    if (begins) this.past = [];
    this.past.push({time, buckets});
    while (this.past.length > 2 && this.past[1].time <= time - 60) this.past.shift();
    return buckets.map((n, i) => n - this.past[0].buckets[i]);
  }
}

const bothText = buckets => percentile(buckets, 0.5) === null ? nothing :
    `${boundText(buckets, 0.5)} / ${boundText(buckets, 0.99)}`;

const stageNames = ['windowWait', 'handOff', 'smsc', 'commit'];
const lastMinutes = new Map(stageNames.map(name => [name, new LastMinute()]));

function showStages(status) {
  for (const name of stageNames) {
    const stage = status.stages[name];
    const recent = lastMinutes.get(name).of(status.takenMilliseconds / 1000, stage.buckets);
    show(name + '-recent', bothText(recent));
    show(name + '-all', bothText(stage.buckets));
    show(name + '-count', count(stage.count));
  }
}
