"use strict";

const ui = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));

// These write only what differs, so that a redraw costs nothing.

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Without a value the attribute is removed. */
function attribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

function reveal(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** A button that can do nothing stays in the order of the focus. */
function enable(button, isEnabled) {
  attribute(button, "aria-disabled", isEnabled ? null : "true");
}

function press(button, action) {
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") action(button);
  });
}

function create(name, className, text = "") {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

function createSVG(name, attributes, parent) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  parent.append(element);
  return element;
}

for (const button of document.querySelectorAll("[data-icon]")) {
  const svg = createSVG("svg", { class: "icon", "aria-hidden": "true" }, button);
  createSVG("use", { href: `#i-${button.dataset.icon}` }, svg);
  button.prepend(svg);
}
