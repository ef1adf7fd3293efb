// Starting the page, and keeping its address in step with what it shows:
// `#trial=SUITE/MODEL/DISTRACTORS/CASE/REPEAT`, `#case=SUITE/MODEL/CASE/TOOL`, `#tool=ID`, `#filter=QUERY`, joined by `&`.

const trialLink = (trial) => `#trial=${encodeURIComponent(trialKey(trial))}`;
const filterLink = (query) => `#filter=${encodeURIComponent(query)}`;
const toolHref = (name) => `#tool=${encodeURIComponent(name)}`;
const toolLink = (name) => el("a.tool", { href: toolHref(name) }, breakable(name));

function readHash() {
  const parts = location.hash.slice(1).split("&").filter((part) => part.includes("="));
  return Object.fromEntries(parts.map((part) => {
    const at = part.indexOf("=");
    return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
  }));
}

function setHash(state) {
  const parts = Object.entries(state).filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
}

// Shows what the address asks for.
function route() {
  const state = readHash();
  if ("filter" in state) applyFilter(state.filter);
  if ("tool" in state) openTool(state.tool);
  if ("trial" in state) showTrial(state.trial, trialNumber(state.trial));
  if ("case" in state) showTrial(state.case, trialOfCase(state.case.split("/").map(decodeURIComponent)));
  if ("trial" in state || "case" in state || ("filter" in state && !("tool" in state))) byId("trials").scrollIntoView();
}

// The first trial of a case that went wrong with a tool; failing that, any of it.
function trialOfCase([suite, model, id, tool]) {
  const about = (trial) => trial.problem !== null && [...trial.expected, ...trial.called].map(toolName).includes(tool);
  let any;
  for (let number = 0; number < index().rows.length; number += 1) {
    const trial = trialAt(number);
    if (trial.id !== id || trial.suite !== suite || trial.model !== model) continue;
    if (trial.end === "fail" && about(trial)) return number;
    if (any === undefined) any = number;
  }
  return any;
}

function showTrial(key, number) {
  if (number === undefined) {
    fill(byId("trial-detail"), el("p.empty", {}, `No trial \`${key}\` in this report.`));
    return;
  }
  if (!list.found.includes(number)) applyFilter("");
  openTrial(number);
}

// The summary names the worst case; what went wrong there is in the trials.
function startWorst() {
  const worst = metrics().worst;
  if (!worst) return;
  const number = trialOfCase([worst.suite, worst.model, worst.case, toolName(worst.tool)]);
  if (number !== undefined) fill(byId("worst-story"), trialAt(number).problem || trialAt(number).prompt);
}

function globalKey(event) {
  if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  byId("trial-query").focus();
}

function start() {
  startWorst();
  startGroups();
  startTools();
  startConfusion();
  startCurve();
  startWeight();
  startTrials();
  const wrong = endsPresent().filter((end) => end !== "pass");
  applyFilter(wrong.length ? writeQuery([{ field: "end", values: wrong }]) : "");
  if (list.found.length && !narrow()) openTrial(list.found[0]);
  route();
  addEventListener("hashchange", route);
  addEventListener("keydown", globalKey);
  document.documentElement.dataset.ready = "yes";
}

addEventListener("error", (event) => { document.documentElement.dataset.error = event.message; });
start();
