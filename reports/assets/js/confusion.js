// Which tools are taken for which others: a ranked list, and a map of the most confused ones.

const MAP_SIZE = 10;
const STEALS = 10;
const STRAYS = 6;

function startConfusion() {
  const select = byId("confusion-model");
  const models = metrics().models;
  fill(select, models.map((model, at) => el("option", { value: at }, model.name)));
  select.closest("label").hidden = models.length < 2;
  select.addEventListener("change", () => drawConfusion(models[select.value]));
  const first = models.findIndex((model) => model.cells.some(isMistake));
  byId("confusion").hidden = first < 0;
  if (first < 0) return;
  select.value = first;
  drawConfusion(models[first]);
}

const isMistake = ([expected, proposed]) => expected !== proposed;

function drawConfusion(model) {
  const strays = model.cells.filter((row) => isMistake(row) && (row[0] < 0 || row[1] < 0)).sort((a, b) => b[2] - a[2]);
  fill(byId("steals"), model.steals.length === 0 && el("li.empty", {}, "No tool was taken for another."),
    model.steals.slice(0, STEALS).map((row) => el("li", {}, stealLine(row))));
  fill(byId("strays"), strays.length === 0 && el("li.empty", {}, "Nothing."),
    strays.slice(0, STRAYS).map((row) => el("li", {}, strayLine(row))));
  fill(byId("heat"), model.cells.some(isMistake) && heatMap(model));
}

// `expected → came instead`, with its share of the calls expected, ranked by what is certain.
function stealLine([expected, proposed, rate]) {
  return [pairing(expected, proposed), el("a.of", { href: cellLink(expected, proposed), title: `95 % interval ${interval(rate)}` },
    `${percent(rate)} (${fraction(rate)})`), intervalBar(rate)];
}

function strayLine([expected, proposed, times, of]) {
  return [pairing(expected, proposed), el("a.of", { href: cellLink(expected, proposed) }, `${count(times)} of ${count(of)}`)];
}

function pairing(expected, proposed) {
  return el("span.pairing", {}, confusionName(expected), el("span.arrow", {}, " \u2192 "), confusionName(proposed));
}

const confusionName = (number) => (number < 0 ? el("em", {}, toolName(number)) : toolLink(toolName(number)));

// On one line: rows of a map are as high as its cells.
const rowName = (number) => (number < 0 ? el("em", {}, toolName(number))
  : el("a.tool", { href: toolHref(toolName(number)) }, toolName(number)));

function cellLink(expected, proposed) {
  const term = (field, number) => (number === NO_TOOL ? { field, values: ["none"] } : { field, values: [toolName(number)] });
  const terms = [term("expected", expected)];
  if (proposed !== NOT_OFFERED) terms.push(term("called", proposed));
  return filterLink(writeQuery(terms));
}

// Rows are the tools that lose most calls to others; columns are whatever came in those rows, in the order of the rows
// where it is one of them, so that what is right lies on the diagonal.
function heatMap(model) {
  const between = model.cells.filter((row) => isMistake(row) && row[0] >= 0 && row[1] >= 0);
  const tools = ranked(between.length ? between : model.cells.filter(isMistake), 0).filter((number) => number >= 0);
  const rows = [...tools, ...(model.cells.some((row) => row[0] === NO_TOOL) ? [NO_TOOL] : [])];
  const inRows = model.cells.filter((row) => tools.includes(row[0]));
  const came = (number) => inRows.some((row) => row[1] === number);
  const others = ranked(inRows.filter((row) => row[1] >= 0 && !tools.includes(row[1])), 1);
  const columns = [...tools.filter(came), ...others, ...[NO_TOOL, NOT_OFFERED].filter(came)];
  const cells = new Map(model.cells.map((row) => [`${row[0]} ${row[1]}`, row]));
  return el("table.heat-map", {},
    el("caption", {}, "Rows: expected. Columns: proposed. Shade: share of the row."),
    el("thead", {}, el("tr", {}, el("td"), columns.map((number) => el("th", { scope: "col", title: toolName(number) }, el("span", {}, toolName(number)))))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("th", { scope: "row", title: toolName(row) }, rowName(row)),
      columns.map((column) => heatCell(cells.get(`${row} ${column}`), row, column))))));
}

function heatCell(cell, row, column) {
  if (!cell) return el("td");
  const part = cell[2] / Math.max(1, cell[3]);
  const td = el(`td.${row === column ? "hit" : "miss"}`, { title: `${toolName(row)} → ${toolName(column)}: ${cell[2]} of ${cell[3]}` },
    el("a", { href: cellLink(row, column) }, count(cell[2])));
  td.style.setProperty("--part", `${Math.round(10 + part * 65)}%`);
  return td;
}

// The tools most often on one side of a mistake.
function ranked(mistakes, side) {
  const weights = new Map();
  for (const row of mistakes) weights.set(row[side], (weights.get(row[side]) || 0) + row[2]);
  return [...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAP_SIZE).map(([number]) => number);
}
