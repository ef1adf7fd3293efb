// The table of tools: those with something to say first, every known one within reach, a page at a time.

const PAGE = 40;

const toolTable = { model: 0, sort: null, down: true, text: "", page: 0 };

// Columns: title, what it sorts by, how its cell is made; those of the metrics come from the report.
function columns() {
  const rates = metrics().toolMetrics.map(([, title, definition], at) =>
    [title, (row) => valueOf(row.rates[at]), (row) => rateCell(row.rates[at]), definition]);
  return [
    ["Tool", (row) => row.id, (row) => el("th", { scope: "row" }, toolLink(row.id), row.summary && el("span.summary", {}, row.summary))],
    ["Level", (row) => row.level, (row) => el("td", {}, row.level || "")],
    ["Support", (row) => row.support, (row) => el("td.number", {}, count(row.support)), "Calls of it that were expected"],
    ...rates,
    ["Tokens", (row) => row.tokens, (row) => el("td.number", {}, row.tokens === undefined ? "" : count(row.tokens)), "What its schema weighs in a prompt"],
  ];
}

// A tool's row for one model; what was never expected or called has no rates.
function toolRows(model) {
  const measured = metrics().models[model].tools.map(measuredTool);
  const seen = new Set(measured.map((row) => row.number));
  const rest = catalogue().map((_, number) => number).filter((number) => !seen.has(number))
    .map((number) => ({ ...knownTool(number), support: 0, rates: [] }));
  return [...measured, ...rest];
}

function measuredTool([number, support, rates]) {
  const known = knownTool(number) || { number, id: toolName(number), summary: "not a known tool" };
  return { ...known, support, rates };
}

function startTools() {
  const select = byId("tool-model");
  fill(select, metrics().models.map((model, at) => el("option", { value: at }, model.name)));
  select.closest("label").hidden = metrics().models.length < 2;
  select.addEventListener("change", () => { Object.assign(toolTable, { model: Number(select.value), page: 0 }); drawTools(); });
  byId("tool-filter").addEventListener("input", (event) => { Object.assign(toolTable, { text: event.target.value, page: 0 }); drawTools(); });
  drawTools();
}

function drawTools() {
  const rows = sortedTools(wantedTools());
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  toolTable.page = Math.min(toolTable.page, pages - 1);
  const start = toolTable.page * PAGE;
  const shown = rows.slice(start, start + PAGE);
  fill(byId("tool-table"),
    el("thead", {}, el("tr", {}, columns().map(columnHead))),
    el("tbody", {}, shown.map((row) => el(`tr${isWorst(row) ? ".is-worst" : ""}`, {}, columns().map(([, , cell]) => cell(row))))));
  fill(byId("tool-pager"), pager(rows.length, start, shown.length, pages));
}

function isWorst(row) {
  const worst = metrics().worst;
  return worst !== null && row.number === worst.tool && metrics().models[toolTable.model].name === worst.model;
}

function wantedTools() {
  const words = toolTable.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row) => words.every((word) => `${row.id} ${row.summary} ${row.level}`.toLowerCase().includes(word));
  return toolRows(toolTable.model).filter(fits);
}

// In the order that it comes in, worst first; or by the chosen column, with what is not measured last.
function sortedTools(rows) {
  if (toolTable.sort === null) return rows;
  const key = columns()[toolTable.sort][1];
  const sign = toolTable.down ? -1 : 1;
  const missing = (value) => value === null || value === undefined;
  return rows.map((row) => [key(row), row]).sort(([a], [b]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return a < b ? -sign : a > b ? sign : 0;
  }).map(([, row]) => row);
}

function columnHead([title, , , definition], at) {
  const active = toolTable.sort === at;
  const sort = () => {
    toolTable.down = active ? !toolTable.down : at >= 2;
    Object.assign(toolTable, { sort: at, page: 0 });
    drawTools();
    byId("tool-table").querySelectorAll("thead button")[at].focus();
  };
  return el("th", { scope: "col", "aria-sort": active ? (toolTable.down ? "descending" : "ascending") : "none" },
    el("button", { type: "button", title: definition, onclick: sort }, title, active && el("span.arrow", { "aria-hidden": "true" }, toolTable.down ? "\u2193" : "\u2191")));
}

function pager(total, start, shown, pages) {
  const go = (step) => { toolTable.page += step; drawTools(); };
  return [
    el("span", {}, total ? `${count(start + 1)}–${count(start + shown)} of ${count(total)} tools` : "No tool fits."),
    pages > 1 && el("button", { type: "button", disabled: toolTable.page === 0, onclick: () => go(-1) }, "Previous"),
    pages > 1 && el("button", { type: "button", disabled: toolTable.page === pages - 1, onclick: () => go(1) }, "Next"),
  ];
}
