"use strict";

/** Asks for the values of a session's parameters before it starts. */
const Settings = (() => {
  let begin = null;
  /** The values that were given last, by the path of the session. */
  const given = new Map();

  function ask(session, text, onStart) {
    begin = () => {
      const values = Object.fromEntries(fields().map((field) => [field.name, field.value]));
      given.set(session.path, values);
      // A value that is the default needs not be given.
      const set = Object.fromEntries(session.parameters
        .filter((one) => values[one.name] !== one.default).map((one) => [one.name, values[one.name]]));
      onStart(set);
    };
    write(ui.settingsTitle, session.title || session.name);
    write(ui.settingsText, text);
    reveal(ui.settingsText, Boolean(text));
    const values = given.get(session.path) || {};
    ui.settingsFields.replaceChildren(...session.parameters.map((one) => row(one, values[one.name])));
    ui.settings.showModal();
    draw();
    fields()[0].focus();
  }

  const fields = () => [...ui.settingsFields.querySelectorAll("input, select")];

  function row(parameter, value) {
    const { name, description, values } = parameter, label = create("label");
    const field = values.length ? choice(parameter) : create("input");
    field.name = name;
    field.required = typeof parameter.default !== "string";
    field.value = value ?? parameter.default ?? "";
    // A text whose first letter is no capital, and that is no word, is written as it stands in the file.
    attribute(field, "autocapitalize", "off");
    attribute(field, "autocomplete", "off");
    label.append(create("span", "name", name), field);
    if (description) label.append(create("span", "names-line", description));
    return label;
  }

  function choice(parameter) {
    const field = create("select");
    const texts = typeof parameter.default === "string" ? parameter.values : ["", ...parameter.values];
    field.append(...texts.map((text) => new Option(text, text)));
    return field;
  }

  function draw() {
    if (!ui.settings.open) return;
    if (Store.access !== "control") return close();
    enable(ui.settingsYes, Store.isOpen());
  }

  function close() { ui.settings.close(); }

  ui.settingsForm.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!Store.isOpen()) return;
    close();
    begin();
  });
  press(ui.settingsNo, close);
  ui.settings.addEventListener("click", (event) => { if (event.target === ui.settings) close(); });

  return { ask, draw };
})();
