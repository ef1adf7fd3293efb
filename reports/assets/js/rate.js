// Rates: a share with what it was counted from and its 95 % interval.

const grouped = new Intl.NumberFormat("en-US");
const count = (number) => grouped.format(number);

// A rate is `[numerator, denominator, low, high]`, or nothing where nothing was counted.
function percent(rate) {
  return rate && rate[1] ? share(rate[0] / rate[1]) : "n/a";
}

// 0 and 100 stand only for exactly that.
function share(value) {
  if (value === 0 || value === 1) return `${value * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, value * 100)).toFixed(1)} %`;
}

function fraction(rate) {
  return rate && rate[1] ? `${count(rate[0])}/${count(rate[1])}` : "";
}

// A narrow interval has a decimal, so that its ends stay apart.
function interval(rate) {
  if (!rate || !rate[1]) return "";
  const decimals = rate[3] - rate[2] < 0.05 ? 1 : 0;
  return `${(rate[2] * 100).toFixed(decimals)}–${(rate[3] * 100).toFixed(decimals)} %`;
}

const valueOf = (rate) => (rate && rate[1] ? rate[0] / rate[1] : null);

// The interval as a bar on the scale from 0 to 100 %, the estimate as a tick on it.
function intervalBar(rate) {
  if (!rate || !rate[1]) return null;
  const low = rate[2] * 100;
  const high = rate[3] * 100;
  return svg("svg.interval", { viewBox: "0 0 104 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line.scale", { x1: 2, x2: 102, y1: 4, y2: 4 }),
    svg("rect.range", { x: low + 2, width: Math.max(high - low, 0.5), y: 2, height: 4 }),
    svg("rect.point", { x: valueOf(rate) * 100 + 0.75, width: 2.5, y: 0, height: 8 }));
}

// A table cell with share, fraction and bar; the interval is there for the eye, the title and the reader.
function rateCell(rate, tone) {
  if (!rate || !rate[1]) return el("td.rate.none", {}, "n/a");
  const bad = tone === "low" && rate[0] > 0;
  return el(`td.rate${bad ? ".bad" : ""}`, { title: `95 % interval ${interval(rate)}` },
    el("span.value", {}, percent(rate)), " ", el("span.of", {}, fraction(rate)), intervalBar(rate));
}

function duration(microseconds) {
  if (microseconds < 1000) return `${microseconds} µs`;
  if (microseconds < 1e6) return `${(microseconds / 1000).toFixed(microseconds < 1e4 ? 1 : 0)} ms`;
  return `${(microseconds / 1e6).toFixed(2)} s`;
}
