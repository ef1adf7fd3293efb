// What the tools weigh in a prompt, and how long answers took.

const HEAVIEST = 12;

function startWeight() {
  const tools = catalogue().map((_, number) => knownTool(number));
  const heaviest = [...tools].sort((a, b) => b.tokens - a.tokens || a.number - b.number).slice(0, HEAVIEST);
  const total = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  fill(byId("weight-total"), `${count(tools.length)} tools weigh ${count(total)} estimated tokens in all; the heaviest:`);
  fill(byId("heaviest"), heaviest.map((tool) => weightLine(tool, heaviest[0].tokens)));
  startTimes();
}

function weightLine(tool, most) {
  const bar = el("span.weight-bar", { "aria-hidden": "true" });
  bar.style.width = `${(tool.tokens / Math.max(1, most)) * 100}%`;
  return el("li", {}, el("span.name", {}, toolLink(tool.id)), el("span.track", {}, bar), el("span.number", {}, count(tool.tokens)));
}

function startTimes() {
  const time = (value) => el("td.number", {}, value === null ? "n/a" : duration(value));
  fill(byId("times"), metrics().models.map(({ name, latency, tokens }) => el("tr", {}, el("th", { scope: "row" }, name),
    latency.map(time), tokens.map((sum) => el("td.number", {}, sum ? count(sum) : "n/a")))));
}
