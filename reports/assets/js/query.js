// The filter of the list of trials: `end:fail tool:file.read "exact words"`. Terms must all hold; the values of
// one term, with commas between them, are alternatives. `*` stands for anything.

const FIELDS = {
  end: (trial) => [trial.end],
  kind: (trial) => [trial.kind],
  model: (trial) => [trial.model],
  case: (trial) => [trial.id],
  tag: (trial) => trial.tags,
  expected: (trial) => toolsOrNone(trial.expected),
  called: (trial) => toolsOrNone(trial.called),
  tool: (trial) => toolsOrNone([...trial.expected, ...trial.called]),
  distractors: (trial) => [String(trial.distractors)],
  repeat: (trial) => [String(trial.repeat)],
};

const toolsOrNone = (numbers) => (numbers.length ? numbers.map(toolName) : ["none"]);

// Reads a filter into terms: `{ field, values }`, with the field `text` for plain words.
function parseQuery(text) {
  return [...text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"|([^\s"]+))/gi)].map(([whole, field, quoted, plain]) => {
    const name = (field || "").toLowerCase();
    if (Object.hasOwn(FIELDS, name)) return { field: name, values: quoted !== undefined ? [quoted] : plain.split(",").filter(Boolean) };
    return { field: "text", values: [quoted !== undefined && !field ? quoted : whole.replaceAll('"', "")] };
  });
}

function writeQuery(terms) {
  const quote = (value) => (/[\s",]/.test(value) ? `"${value.replaceAll('"', "")}"` : value);
  return terms.map(({ field, values }) => (field === "text" ? quote(values[0])
    : `${field}:${values.length === 1 ? quote(values[0]) : values.join(",")}`)).join(" ");
}

// The filter with one field set to some values, or without it.
function withField(text, field, values) {
  const terms = parseQuery(text).filter((term) => term.field !== field);
  return writeQuery(values.length ? [{ field, values }, ...terms] : terms);
}

function fieldOf(text, field) {
  const term = parseQuery(text).find((other) => other.field === field);
  return term ? term.values.join(",") : "";
}

function pattern(value) {
  const escaped = value.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}$`, "i");
}

// What plain words are looked for in: the case, its prompt, its tools, what is wrong.
const haystacks = new Map();
function haystack(trial) {
  let text = haystacks.get(trial.number);
  if (text === undefined) {
    const tools = [...trial.expected, ...trial.called].map(toolName).join(" ");
    text = `${trial.id} ${trial.prompt} ${tools} ${trial.problem || ""}`.toLowerCase();
    haystacks.set(trial.number, text);
  }
  return text;
}

function predicate({ field, values }) {
  if (field === "text") {
    const word = values[0].toLowerCase();
    return (trial) => haystack(trial).includes(word);
  }
  const patterns = values.map(pattern);
  return (trial) => FIELDS[field](trial).some((value) => patterns.some((one) => one.test(value)));
}

// The numbers of the trials that a filter keeps, in the run's order.
function search(text) {
  const tests = parseQuery(text).map(predicate);
  const found = [];
  for (let number = 0; number < index().rows.length; number += 1) {
    const trial = trialAt(number);
    if (tests.every((test) => test(trial))) found.push(number);
  }
  return found;
}
