// One tool: its numbers with every model, what steals its calls, and the trials that got it wrong.

const TRIALS_OF_A_TOOL = 12;

function openTool(name) {
  const panel = byId("tool-detail");
  const number = toolNumber(name);
  panel.hidden = false;
  fill(panel, number === undefined ? el("p.empty", {}, `No tool \`${name}\` in this run.`) : toolView(number));
  panel.scrollIntoView({ block: "start" });
}

function closeTool() {
  byId("tool-detail").hidden = true;
  setHash({});
}

function toolView(number) {
  const known = knownTool(number);
  const id = toolName(number);
  return [
    el("header", {},
      el("h3", {}, el("span.id", {}, breakable(id))),
      el("button.close", { type: "button", onclick: closeTool }, "Close"),
      el("p.why", {}, known ? known.summary : "A name that a model came up with; no such tool is known."),
      known && el("p.facts", {}, el("span", {}, `level ${known.level}`), el("span", {}, `${count(known.tokens)} tokens in a prompt`))),
    toolFigures(number),
    toolConfusions(number),
    toolTrials(id),
  ];
}

function toolFigures(number) {
  const rows = metrics().models.map((model) => [model.name, model.tools.find((row) => row[0] === number)]).filter(([, row]) => row);
  if (!rows.length) return el("p.note", {}, "No case expects it, and no model called it.");
  const titles = ["Model", "Support", ...metrics().toolMetrics.map(([, title]) => title)];
  return el("div.scroll", {}, el("table", {},
    el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, rows.map(([name, [, support, rates]]) => el("tr", {}, el("th", { scope: "row" }, name),
      el("td.number", {}, count(support)), metrics().toolMetrics.map((_, at) => rateCell(rates[at])))))));
}

function toolConfusions(number) {
  const rows = metrics().models.flatMap((model) => model.steals
    .filter(([expected, proposed]) => expected === number || proposed === number)
    .map((row) => ({ model: model.name, row })));
  if (!rows.length) return null;
  return el("section", {}, el("h4", {}, "Mistaken for each other"),
    el("ul.plain", {}, rows.slice(0, 12).map(({ model, row }) => el("li", {}, stealLine(row), el("span.model", {}, model)))));
}

function toolTrials(id) {
  const quoted = writeQuery([{ field: "tool", values: [id] }]);
  const all = search(quoted);
  const wrong = all.filter((number) => trialAt(number).end !== "pass");
  return el("section", {}, el("h4", {}, `${count(wrong.length)} of ${count(all.length)} trials with it did not pass`),
    el("ul.plain", {}, wrong.slice(0, TRIALS_OF_A_TOOL).map((number) => {
      const trial = trialAt(number);
      return el("li", {}, badge(trial.end), el("a.id", { href: trialLink(trial) }, trial.id), el("span.story", {}, trial.problem),
        el("span.model", {}, modelLine(trial)));
    })),
    all.length > 0 && el("p", {}, el("a", { href: filterLink(quoted) }, "All its trials in the list")));
}
