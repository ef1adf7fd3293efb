// The list of trials. Only the rows on the screen exist: 100,000 trials cost what thirty do.

const ROW_HEIGHT = 60;
const SPARE_ROWS = 8;

const list = { found: [], query: "", selected: -1, first: -1, last: -1 };

function startTrials() {
  const box = byId("trial-list");
  box.addEventListener("scroll", () => drawRows(false), { passive: true });
  box.addEventListener("keydown", listKey);
  new ResizeObserver(() => drawRows(true)).observe(box);
  let timer;
  byId("trial-query").addEventListener("input", (event) => {
    clearTimeout(timer);
    timer = setTimeout(() => showFilter(event.target.value), index().rows.length > 20000 ? 200 : 60);
  });
  startChoices();
  startLeftOut();
}

// The drop-downs write the same filter that one can type.
function startChoices() {
  const { models, cases } = index();
  const wrong = endsPresent().filter((end) => end !== "pass");
  choice("end", "Any end", [...endsPresent(), ...(wrong.length > 1 ? [[wrong.join(","), "not passed"]] : [])]);
  choice("model", "Any model", models);
  choice("kind", "Any kind", [...new Set(cases.map((row) => row[2]))].sort());
  choice("tag", "Any tag", [...new Set(cases.flatMap((row) => row[3]))].sort());
}

function endsPresent() {
  const present = new Set(index().rows.map((row) => row[4]));
  return ENDS.filter((_, end) => present.has(end));
}

function choice(field, any, values) {
  const select = byId(`trial-${field}`);
  const options = values.map((value) => (Array.isArray(value) ? value : [value, value]));
  fill(select, el("option", { value: "" }, any), options.map(([value, label]) => el("option", { value }, label)));
  select.hidden = options.length < 2;
  select.addEventListener("change", () => showFilter(withField(list.query, field, chosen(field, select.value))));
}

// Only ends are offered several at once.
function chosen(field, value) {
  if (value === "") return [];
  return field === "end" ? value.split(",") : [value];
}

function startLeftOut() {
  const { leftOut } = tables();
  const notes = [
    leftOut.passed > 0 && `${count(leftOut.passed)} trials that passed are left out of this page.`,
    leftOut.others > 0 && `${count(leftOut.others)} trials that did not pass are left out, too.`,
    leftOut.eventsOfPassed && "Events of trials that passed are in the run's journal only.",
  ].filter(Boolean);
  if (notes.length) fill(byId("trial-left-out"), notes.join(" "));
}

// Filters, and says so in the address.
function showFilter(query) {
  applyFilter(query);
  setHash({ filter: query });
}

function applyFilter(query) {
  list.query = query;
  list.found = search(query);
  const input = byId("trial-query");
  if (input.value !== query) input.value = query;
  for (const field of ["end", "model", "kind", "tag"]) {
    const select = byId(`trial-${field}`);
    const value = fieldOf(query, field);
    select.value = [...select.options].some((option) => option.value === value) ? value : "";
  }
  const total = index().rows.length;
  fill(byId("trial-count"), list.found.length === total ? `${count(total)} trials`
    : `${count(list.found.length)} of ${count(total)} trials`);
  byId("trial-count").dataset.found = list.found.length;
  byId("trial-list").scrollTop = 0;
  drawRows(true);
}

function drawRows(force) {
  const box = byId("trial-list");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
  const last = Math.min(list.found.length, Math.ceil((box.scrollTop + (box.clientHeight || 600)) / ROW_HEIGHT) + SPARE_ROWS);
  if (!force && first === list.first && last === list.last) return;
  list.first = first;
  list.last = last;
  const rows = [];
  for (let at = first; at < last; at += 1) rows.push(trialRow(at));
  const sheet = el("div.sheet", { role: "presentation" }, rows);
  sheet.style.height = `${list.found.length * ROW_HEIGHT}px`;
  fill(box, list.found.length ? sheet : el("p.empty", {}, "No trial fits this filter."));
  markActive();
}

function trialRow(at) {
  const trial = trialAt(list.found[at]);
  const selected = trial.number === list.selected;
  const row = el("div.trial-row", {
    id: `trial-row-${at}`, role: "option", "aria-selected": String(selected),
    "aria-posinset": at + 1, "aria-setsize": list.found.length, onclick: () => select(at),
  },
    el("div.first", {}, badge(trial.end), el("span.id", {}, trial.id),
      el("span.model", {}, modelLine(trial))),
    el("div.second", {}, trial.problem || trial.prompt));
  row.style.top = `${at * ROW_HEIGHT}px`;
  return row;
}

// `lexical +20 #2`: the model, distractors added, which repeat.
function modelLine(trial) {
  return [trial.model, trial.distractors > 0 && `+${count(trial.distractors)}`, trial.repeat > 0 && `#${trial.repeat + 1}`].filter(Boolean).join(" ");
}

function select(at) {
  if (at < 0 || at >= list.found.length) return;
  openTrial(list.found[at]);
  setHash({ filter: list.query, trial: trialKey(trialAt(list.found[at])) });
  if (narrow()) byId("trial-detail").scrollIntoView();
}

const narrow = () => matchMedia("(max-width: 60rem)").matches;

// Shows a trial beside the list; it may be one that the filter hides.
function openTrial(number) {
  list.selected = number;
  const detail = byId("trial-detail");
  fill(detail, trialView(number));
  detail.scrollTop = 0;
  const at = list.found.indexOf(number);
  if (at >= 0) reveal(at);
  drawRows(true);
}

function reveal(at) {
  const box = byId("trial-list");
  const top = at * ROW_HEIGHT;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW_HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW_HEIGHT - box.clientHeight;
}

function markActive() {
  const at = list.found.indexOf(list.selected);
  const box = byId("trial-list");
  if (at >= list.first && at < list.last) box.setAttribute("aria-activedescendant", `trial-row-${at}`);
  else box.removeAttribute("aria-activedescendant");
}

function listKey(event) {
  const at = list.found.indexOf(list.selected);
  const page = Math.max(1, Math.floor(byId("trial-list").clientHeight / ROW_HEIGHT) - 1);
  const steps = { ArrowDown: at + 1, j: at + 1, ArrowUp: Math.max(0, at - 1), k: Math.max(0, at - 1),
    PageDown: Math.min(list.found.length - 1, at + page), PageUp: Math.max(0, at - page), Home: 0, End: list.found.length - 1 };
  if (event.key === "Enter") byId("trial-detail").focus();
  else if (event.key in steps && !event.ctrlKey && !event.metaKey && !event.altKey) select(steps[event.key]);
  else return;
  event.preventDefault();
}
