// How each metric holds as distractors are added.

const SHAPES = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 4 }),
  (x, y) => svg("rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7 }),
  (x, y) => svg("path", { d: `M${x} ${y - 5}l5 9h-10z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 5.5}l5 5.5l-5 5.5l-5 -5.5z` }),
];

const CURVE = { width: 640, height: 270, left: 44, right: 150, top: 12, bottom: 44 };

function startCurve() {
  const curves = metrics().models.filter((model) => model.curve.length > 1);
  byId("curve").hidden = curves.length === 0;
  if (!curves.length) return;
  const select = byId("curve-metric");
  fill(select, metrics().curveMetrics.map(([key, name]) => el("option", { value: key }, name)));
  select.addEventListener("change", () => drawCurve(curves, select.value));
  drawCurve(curves, select.value);
}

function drawCurve(curves, key) {
  const counts = [...new Set(curves.flatMap((model) => model.curve.map(([distractors]) => distractors)))].sort((a, b) => a - b);
  const at = metrics().curveMetrics.findIndex(([name]) => name === key);
  const x = (distractors) => CURVE.left + (counts.indexOf(distractors) / Math.max(1, counts.length - 1)) * (CURVE.width - CURVE.left - CURVE.right);
  const y = (value) => CURVE.top + (1 - value) * (CURVE.height - CURVE.top - CURVE.bottom);
  const lines = curves.map((model) => model.curve.map(([distractors, rates]) => [x(distractors), rates[at], distractors]).filter(([, rate]) => rate && rate[1]));
  fill(byId("curve-chart"),
    svg("svg.chart", { viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, role: "img", "aria-label": "Metric by number of distractors; the table below has the numbers" },
      axes(counts, x, y), lines.map((points, number) => curveLine(points, number, y)), endLabels(lines, curves, y)),
    curveTable(curves, counts, at));
}

function axes(counts, x, y) {
  return [
    [0, 0.25, 0.5, 0.75, 1].map((value) => [
      svg("line.grid", { x1: CURVE.left, x2: CURVE.width - CURVE.right, y1: y(value), y2: y(value) }),
      svg("text.tick", { x: CURVE.left - 8, y: y(value) + 4, "text-anchor": "end" }, `${value * 100} %`)]),
    counts.map((distractors) => svg("text.tick", { x: x(distractors), y: CURVE.height - 26, "text-anchor": "middle" }, count(distractors))),
    svg("text.tick", { x: (CURVE.left + CURVE.width - CURVE.right) / 2, y: CURVE.height - 6, "text-anchor": "middle" }, "distractors added"),
  ];
}

function curveLine(points, number, y) {
  return svg(`g.series.series-${number % 4}`, {},
    points.map(([x, rate]) => svg("line.whisker", { x1: x, x2: x, y1: y(rate[2]), y2: y(rate[3]) })),
    svg("polyline", { points: points.map(([x, rate]) => `${x},${y(valueOf(rate))}`).join(" ") }),
    points.map(([x, rate]) => SHAPES[number % 4](x, y(valueOf(rate)))));
}

// Names at the ends of the lines, moved apart where they would overlap.
function endLabels(lines, curves, y) {
  const ends = lines.map((points, number) => ({ points, number })).filter(({ points }) => points.length)
    .map(({ points, number }) => ({ number, y: y(valueOf(points[points.length - 1][1])), x: points[points.length - 1][0] }))
    .sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => { if (at && end.y < ends[at - 1].y + 15) end.y = ends[at - 1].y + 15; });
  return ends.map((end) => svg(`text.series-name.series-${end.number % 4}`, { x: end.x + 12, y: end.y + 4 }, shorten(curves[end.number].name, 20)));
}

const shorten = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}\u2026` : text);

function curveTable(curves, counts, at) {
  return el("div.scroll", {}, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Model"), counts.map((distractors) => el("th", { scope: "col" }, `+${count(distractors)}`)))),
    el("tbody", {}, curves.map((model) => el("tr", {}, el("th", { scope: "row" }, model.name),
      counts.map((distractors) => rateCell((model.curve.find(([own]) => own === distractors) || [])[1]?.[at])))))));
}
