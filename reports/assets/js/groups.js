// Strict success by kind of case and by tag, a column a model.

const GROUPS = 40;

function startGroups() {
  const models = metrics().models;
  const names = [...new Map(models.flatMap((model) => model.groups).map(([field, value]) => [`${field} ${value}`, [field, value]])).values()];
  if (names.length < 2) return;
  const rate = (model, field, value) => (model.groups.find(([own, name]) => own === field && name === value) || [])[2];
  const row = ([field, value]) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: filterLink(writeQuery([{ field, values: [value] }])) }, value), " ", el("span.of", {}, field)),
    models.map((model) => rateCell(rate(model, field, value))));
  fill(byId("groups"), el("details", {}, el("summary", {}, "Strict success by kind and tag"),
    el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Cases"), models.map((model) => el("th", { scope: "col" }, model.name)))),
      el("tbody", {}, names.slice(0, GROUPS).map(row))),
    names.length > GROUPS && el("p.note", {}, `${count(names.length - GROUPS)} more tags are in metrics.json.`)));
}
