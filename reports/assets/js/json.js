// JSON set out for reading, with the places that differ marked.

// Renders a value; `marked` are JSON pointers. A marked place that this side lacks is shown as absent.
function jsonView(value, marked) {
  const lines = [];
  const state = { marked: new Set(marked), lines };
  node(state, value, "", "", 0, "");
  return el("pre.json", {}, lines);
}

function line(state, depth, parts, pointer, extra) {
  const differs = pointer !== null && state.marked.has(pointer);
  state.lines.push(el(`span.line${differs ? ".differs" : ""}${extra || ""}`,
    differs ? { "data-path": pointer || "/" } : {},
    el("span.gutter", { "aria-label": differs ? "differs" : null }, differs ? "\u2260" : " "),
    "  ".repeat(depth), parts), "\n");
}

function node(state, value, pointer, label, depth, comma) {
  if (value === null || typeof value !== "object") {
    line(state, depth, [label, scalar(value), comma], pointer);
    return;
  }
  const list = Array.isArray(value);
  const entries = list ? value.map((item, at) => [at, item]) : Object.entries(value);
  const absent = absentKeys(state, value, pointer, list);
  const [open, close] = list ? "[]" : "{}";
  if (!entries.length && !absent.length) {
    line(state, depth, [label, open + close, comma], pointer);
    return;
  }
  line(state, depth, [label, open], pointer);
  entries.forEach(([key, item], at) => {
    const name = list ? "" : [el("span.key", {}, JSON.stringify(key)), ": "];
    node(state, item, child(pointer, key, list), name, depth + 1, at + 1 < entries.length ? "," : "");
  });
  for (const key of absent) {
    line(state, depth + 1, [el("span.key", {}, list ? `[${key}]` : JSON.stringify(key)), ": absent"], `${pointer}/${key}`, ".absent");
  }
  line(state, depth, [close, comma], null);
}

// A key that begins with a slash is itself a pointer: expectations may be written so.
function child(pointer, key, list) {
  if (!list && key.startsWith("/")) return pointer + key;
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function absentKeys(state, value, pointer, list) {
  const own = new Set(list ? value.map((_, at) => `${pointer}/${at}`) : Object.keys(value).map((key) => child(pointer, key, false)));
  const prefix = `${pointer}/`;
  return [...state.marked].filter((path) => path.startsWith(prefix) && !own.has(path)
    && !path.slice(prefix.length).includes("/") && !Object.keys(value).some((key) => key.startsWith("$")))
    .map((path) => path.slice(prefix.length));
}

function scalar(value) {
  const kind = value === null ? "null" : typeof value;
  return el(`span.${kind}`, {}, JSON.stringify(value));
}
