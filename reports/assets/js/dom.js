// Building elements. Text only ever becomes a text node: nothing in a report can turn into markup.

// Makes an element from `tag.class.class`, attributes, and children that are nodes, texts or nothing.
function el(spec, attributes, ...children) {
  const [tag, ...classes] = spec.split(".");
  return filled(document.createElement(tag || "div"), classes, attributes, children);
}

// The same in the namespace of SVG.
function svg(spec, attributes, ...children) {
  const [tag, ...classes] = spec.split(".");
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, attributes, children);
}

function filled(element, classes, attributes, children) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child);
  }
}

function byId(id) {
  return document.getElementById(id);
}

// Replaces everything inside an element.
function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

// A text that breaks after the dots and underscores of long names.
function breakable(text) {
  const parts = String(text).split(/(?<=[._/:-])/);
  return parts.flatMap((part, at) => (at ? [el("wbr"), part] : [part]));
}

// A named mark, drawn once in the page; it repeats what the word beside it says.
function mark(name) {
  return svg(`svg.mark.mark-${name}`, { viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("use", { href: `#mark-${name}` }));
}

// A mark with its word: no state is told by colour alone.
function badge(word) {
  return el(`span.badge.is-${word}`, {}, mark(word), word);
}
