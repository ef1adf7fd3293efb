// Reading what the report carries. The arrays are described, in the same order, in `src/report/html/`.

const ENDS = ["pass", "fail", "error", "stale"];
const NO_TOOL = -1;
const NOT_OFFERED = -2;

// Reads a JSON island once, when it is first asked for.
function island(id) {
  let value;
  return () => (value === undefined ? (value = JSON.parse(byId(id).textContent)) : value);
}

const metrics = island("data-metrics");
const catalogue = island("data-catalogue");
const index = island("data-index");
const tables = island("data-tables");
const views = island("data-views");

const toolName = (number) =>
  number === NO_TOOL ? "no tool" : number === NOT_OFFERED ? "not offered" : tables().tools[number];
const textOf = (number) => (number === null || number === undefined ? null : tables().texts[number]);

// A tool of the catalogue; a name that only a model came up with is not in it.
function knownTool(number) {
  const row = catalogue()[number];
  return row ? { number, id: toolName(number), level: row[0], tokens: row[1], summary: row[2] } : null;
}

let toolNumbers;
function toolNumber(name) {
  if (!toolNumbers) toolNumbers = new Map(tables().tools.map((tool, number) => [tool, number]));
  return toolNumbers.get(name);
}

// One line of the list of trials.
function trialAt(number) {
  const [caseNumber, model, distractors, repeat, end, expected, called, problem] = index().rows[number];
  const [suite, id, kind, tags, why, prompt] = index().cases[caseNumber];
  return {
    number, suite, id, kind, tags, why, distractors, repeat, expected, called,
    prompt: textOf(prompt), model: index().models[model], end: ENDS[end], problem: textOf(problem),
  };
}

// Everything about one trial. Details lie in blocks, parsed when one of their trials is opened.
const blocks = new Map();
function detailOf(number) {
  const size = tables().block;
  const block = Math.floor(number / size);
  if (!blocks.has(block)) blocks.set(block, JSON.parse(byId(`data-block-${block}`).textContent));
  const [ceiling, approval, error, turns, events, lines] = blocks.get(block)[number % size];
  return {
    ceiling, approval, events,
    error: error && { code: error[0], message: error[1], changed: error[2].map(toolName) },
    turns: turns.map(readTurn),
    lines: lines.map(([seq, type, summary]) => ({ seq, type: textOf(type), summary })),
  };
}

function readTurn([prompt, view, outcome, text, expected, calls, pairs, problems, usage, latency, attempts]) {
  return {
    outcome, text, latency, attempts, usage,
    prompt: textOf(prompt),
    view: readView(view),
    expected: expected.map(([tool, args, inView, droppedBy]) => ({ tool: toolName(tool), args, inView, droppedBy })),
    calls: calls.map(readCall),
    pairs: pairs.map(([wanted, call, places]) => ({
      expected: wanted, call,
      mismatches: places.map(([path, want, came]) => ({ path, expected: want, actual: came })),
    })),
    problems: problems.map(textOf),
  };
}

function readCall([tool, args, inView, valid, level, risk, decision, reason, allowed, unsafe, callId]) {
  return {
    tool: toolName(tool), args, inView, valid, level, risk, decision, allowed, callId,
    reason: textOf(reason), unsafe: textOf(unsafe),
  };
}

function readView(number) {
  const [digest, count, offers] = views()[number];
  return {
    digest, count,
    offers: offers.map(([tool, reason, decision, level]) => ({ tool: toolName(tool), reason: textOf(reason), decision, level })),
  };
}

// The name of a trial in links: stable from run to run.
function trialKey(trial) {
  return [trial.suite, trial.model, trial.distractors, trial.id, trial.repeat].map(encodeURIComponent).join("/");
}

// The number of the trial that a link names.
function trialNumber(key) {
  const [suite, model, distractors, id, repeat] = key.split("/").map(decodeURIComponent);
  const { cases, models, rows } = index();
  const caseNumber = cases.findIndex((row) => row[0] === suite && row[1] === id);
  const modelNumber = models.indexOf(model);
  const number = rows.findIndex((row) => row[0] === caseNumber && row[1] === modelNumber
    && row[2] === Number(distractors) && row[3] === Number(repeat));
  return number < 0 ? undefined : number;
}
