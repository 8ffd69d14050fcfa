"use strict";

/** Sentences at the bottom of the page: at most two, each with at most one action. */
const Messages = (() => {
  const MOST = 2;
  const shown = [];

  function announce(text) {
    // A screen reader would not read the same text again.
    ui.live.textContent = ui.live.textContent === text ? text + "\u00a0" : text;
  }

  function show(text, { key = text, action = null, seconds = action ? 25 : 10 } = {}) {
    remove(key);
    while (MOST <= shown.length) take(shown[0]);
    const element = create("div", "message"), message = { key, seconds, element };
    const sentence = create("p", "", Words.sentence(text));
    element.append(sentence);
    if (action) {
      const button = create("button", "", action.name);
      press(button, () => { take(message); action.run(); });
      element.append(button);
    }
    sentence.addEventListener("click", () => take(message));
    // A message does not go away under the finger or the focus.
    for (const name of ["pointerenter", "focusin"]) element.addEventListener(name, () => clearTimeout(message.timer));
    for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => wait(message));
    shown.push(message);
    ui.messages.append(element);
    wait(message);
    makeRoom();
    announce(sentence.textContent + (action ? ` ${action.name} is at the end of the page.` : ""));
  }

  function wait(message) {
    clearTimeout(message.timer);
    if (message.seconds && shown.includes(message))
      message.timer = setTimeout(() => take(message), message.seconds * 1000);
  }

  function take(message) {
    if (!shown.includes(message)) return;
    clearTimeout(message.timer);
    shown.splice(shown.indexOf(message), 1);
    message.element.remove();
    makeRoom();
  }

  /** The end of the page stays reachable above the messages, and no message lies on the sliders. */
  function makeRoom() {
    const height = ui.messages.offsetHeight, sliders = ui.volumes.getBoundingClientRect();
    document.body.style.paddingBottom = shown.length ? `${height}px` : "";
    const isBelow = (edge) => sliders.top < innerHeight && edge < sliders.bottom;
    ui.messages.classList.toggle("above", height < sliders.top && isBelow(innerHeight - height));
  }

  function remove(key) {
    for (const message of shown.filter((one) => key === undefined || one.key === key)) take(message);
  }

  for (const name of ["scroll", "resize"]) addEventListener(name, makeRoom, { passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && shown.length && !document.querySelector("dialog[open]")) take(shown.at(-1));
  });

  return { show, remove, announce, has: (key) => shown.some((message) => message.key === key) };
})();
