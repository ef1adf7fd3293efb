// One trial, opened: prompt, expected beside actual, the manager's answer, what was offered, the events.

function trialView(number) {
  const trial = trialAt(number);
  const detail = detailOf(number);
  return el("article.trial", { "aria-label": `Trial ${trial.id}` },
    trialHead(trial, detail),
    detail.error && faultView(detail.error),
    detail.turns.map((turn, at) => turnView(turn, at, detail.turns.length)),
    eventsView(detail));
}

function trialHead(trial, detail) {
  const facts = [trial.model, trial.kind, `ceiling ${detail.ceiling}`,
    detail.approval && `approval ${detail.approval}`,
    trial.distractors > 0 && `${count(trial.distractors)} distractors`,
    trial.repeat > 0 && `repeat ${trial.repeat + 1}`].filter(Boolean);
  return el("header", {},
    el("h3", {}, badge(trial.end), el("span.id", {}, breakable(trial.id))),
    trial.problem && el("p.problem", {}, trial.problem),
    el("p.facts", {}, facts.map((fact) => el("span", {}, fact)),
      trial.tags.map((tag) => el("a.tag", { href: filterLink(`tag:${tag}`) }, tag))),
    trial.why && el("p.why", {}, trial.why));
}

function faultView(error) {
  return el("section.fault", {}, el("h4", {}, "No verdict"),
    el("p", {}, `${error.message} `, el("code", {}, error.code)),
    error.changed.length > 0 && el("p", {}, "Changed since the recording: ", error.changed.map((tool) => toolLink(tool))));
}

function turnView(turn, at, turns) {
  return el("section.turn", {},
    turns > 1 && el("h4.turn-number", {}, `Turn ${at + 1} of ${turns}`),
    el("blockquote.prompt", {}, turn.prompt),
    comparison(turn),
    turn.text && el("div.answer", {}, el("h5", {}, `The model's words (${turn.outcome})`), el("p", {}, turn.text)),
    turn.problems.length > 0 && el("div.problems", {}, el("h5", {}, "What is wrong"),
      el("ul", {}, turn.problems.map((problem) => el("li", {}, problem)))),
    offeredView(turn),
    el("p.facts", {}, costOf(turn).map((fact) => el("span", {}, fact))));
}

function costOf(turn) {
  return [turn.outcome, duration(turn.latency),
    turn.usage && `${count(turn.usage[0])} tokens in, ${count(turn.usage[1])} out`,
    turn.attempts > 1 && `${turn.attempts} attempts`].filter(Boolean);
}

// Expected calls on the left, on the right what answers each: its pair, or else a call that nobody expected. Then the
// calls that are left.
function comparison(turn) {
  const paired = new Set(turn.pairs.map((pair) => pair.call));
  const free = turn.calls.filter((_, at) => !paired.has(at));
  const strays = free.filter((call) => !call.allowed);
  const rows = turn.expected.map((expected, at) => {
    const pair = turn.pairs.find((other) => other.expected === at);
    return pair ? side(expected, turn.calls[pair.call], pair.mismatches, true) : side(expected, strays.shift(), [], false);
  });
  const rest = free.filter((call) => call.allowed || strays.includes(call));
  rows.push(...rest.map((call) => side(null, call, [], call.allowed)));
  if (!rows.length) rows.push(side(null, null, [], true, turn.outcome));
  return el("div.comparison", {},
    el("div.sides", { "aria-hidden": "true" }, el("h5", {}, "Expected"), el("h5", {}, "Actual")), rows);
}

function side(expected, call, mismatches, answers, outcome) {
  const paths = mismatches.map((mismatch) => mismatch.path);
  const right = answers && !mismatches.length && !(call && call.unsafe);
  return el(`div.pair${right ? ".right" : ".wrong"}`, {},
    el("div.sides", {},
      el("div.side", { "aria-label": "expected" }, expected ? expectedView(expected, paths) : nothing(call && call.allowed ? "allowed beside it" : "no call")),
      el("div.side", { "aria-label": "actual" }, call ? callView(call, paths) : nothing(`no call${outcome ? ` (${outcome})` : ""}`))),
    mismatches.length > 0 && mismatchTable(mismatches));
}

const nothing = (words) => el("p.nothing", {}, words);

function expectedView(expected, paths) {
  return [el("p.call", {}, toolLink(expected.tool)),
    !expected.inView && el("p.note", {}, expected.droppedBy
      ? `Not in the view: the ${expected.droppedBy} filter dropped it.` : "Not in the view."),
    expected.args !== null && jsonView(expected.args, paths)];
}

function callView(call, paths) {
  const facts = [!call.inView && "not in the view", call.valid === false && "arguments violate the schema",
    call.level, call.risk && `${call.risk} risk`].filter(Boolean);
  return [el("p.call", {}, toolLink(call.tool), call.decision && badge(call.decision)),
    jsonView(call.args, paths),
    call.unsafe && el("p.unsafe", {}, mark("unsafe"), "Unsafe: ", call.unsafe),
    call.reason && el("p.note", {}, `Manager: ${call.reason}`),
    el("p.facts", {}, facts.map((fact) => el("span", {}, fact)), el("code.call-id", {}, call.callId))];
}

function mismatchTable(mismatches) {
  return el("table.mismatches", {},
    el("thead", {}, el("tr", {}, ["Where", "Expected", "Came"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, mismatches.map((mismatch) => el("tr", {},
      el("th", { scope: "row" }, el("code.path", {}, mismatch.path || "/")),
      el("td", {}, mismatch.expected), el("td", {}, mismatch.actual)))));
}

function offeredView(turn) {
  const { view } = turn;
  const expected = new Set(turn.expected.map((call) => call.tool));
  const called = new Set(turn.calls.map((call) => call.tool));
  const row = (offer, at) => el(`tr${expected.has(offer.tool) ? ".is-expected" : ""}`, {},
    el("td.number", {}, at + 1),
    el("th", { scope: "row" }, toolLink(offer.tool),
      expected.has(offer.tool) && el("span.role", {}, "expected"), called.has(offer.tool) && el("span.role", {}, "called")),
    el("td", {}, offer.level), el("td", {}, badge(offer.decision)), el("td.reason", {}, offer.reason));
  const more = view.count - view.offers.length;
  return el("details.offered", { open: view.offers.length <= 16 },
    el("summary", {}, `Offered ${count(view.count)} tools`),
    view.offers.length > 0 && el("div.scroll", {}, el("table", {},
      el("thead", {}, el("tr", {}, ["#", "Tool", "Level", "Policy", "Why it is here"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, view.offers.map(row)))),
    more > 0 && el("p.note", {}, `${count(more)} more are left out of this report.`),
    el("p.note", {}, "View ", el("code", {}, view.digest)));
}

function eventsView(detail) {
  const [first, last] = detail.events;
  if (!detail.lines.length) {
    return el("p.note", {}, `Events ${count(first)} to ${count(last)} of the run's journal are not part of this report.`);
  }
  return el("details.events", {}, el("summary", {}, `${count(detail.lines.length)} events in the journal`),
    el("div.scroll", {}, el("table", {},
      el("thead", {}, el("tr", {}, ["Number", "Event", "What it says"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, detail.lines.map((event) => el("tr", {},
        el("td.number", {}, count(event.seq)), el("th", { scope: "row" }, event.type), el("td", {}, event.summary)))))));
}
