// Starting the page, and keeping its address in step with what it shows:
// `#trial=SUITE/MODEL/DISTRACTORS/CASE/REPEAT`, `#tool=ID`, `#filter=QUERY`, joined by `&`.

const trialLink = (trial) => `#trial=${encodeURIComponent(trialKey(trial))}`;
const filterLink = (query) => `#filter=${encodeURIComponent(query)}`;
const toolLink = (name) => el("a.tool", { href: `#tool=${encodeURIComponent(name)}` }, breakable(name));

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
  const { trial, tool, filter } = readHash();
  if (filter !== undefined) applyFilter(filter);
  if (tool !== undefined) openTool(tool);
  if (trial !== undefined) showTrial(trial);
  if (trial !== undefined || (filter !== undefined && tool === undefined)) byId("trials").scrollIntoView();
}

function showTrial(key) {
  const number = trialNumber(key);
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
  if (!worst || worst.trial === null) return;
  const number = trialNumber(worst.trial);
  if (number !== undefined) fill(byId("worst-story"), trialAt(number).problem || trialAt(number).prompt);
}

function globalKey(event) {
  if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  byId("trial-query").focus();
}

function start() {
  startWorst();
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
