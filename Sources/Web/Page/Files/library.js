"use strict";

const Library = (() => {
  let drawn = "", buttons = [];

  function draw() {
    const { sessions, ended, listOpen, starting } = Store, isOver = Boolean(ended) && !listOpen;
    write(ui.libraryTitle, isOver ? ended.title : "Sessions");
    write(ui.libraryText, isOver ? ended.text : "");
    reveal(ui.libraryAgain, Boolean(isOver && again()));
    enable(ui.libraryAgain, Store.isOpen() && !starting);
    const { sits, seconds } = Store.month || {};
    write(ui.month, sits ? `This month: ${Words.counted(sits, "sit")}, ${Words.length(seconds)}` : "");
    const key = JSON.stringify([sessions, Store.isPlaying()]);
    if (key !== drawn) {
      buttons = [];
      const ordered = [...(sessions || [])].sort((one, other) => isInterrupted(other) - isInterrupted(one));
      ui.sessionList.replaceChildren(...ordered.map(item));
    }
    drawn = key;
    for (const { button, session } of buttons) {
      enable(button, Store.isOpen() && !starting);
      attribute(button, "data-busy", starting === session.path ? "" : null);
    }
  }

  /** The session that failed, if it is no other one with its title. One that can be continued has a button for that. */
  function again() {
    const [found, ...others] = Store.sessions.filter((one) => one.title === Store.ended?.again);
    return found && !others.length && !isInterrupted(found) ? found : null;
  }

  const isInterrupted = (session) => typeof session.resume === "number";

  function item(session) {
    const { problem } = session, entry = create("li");
    const isInParts = isInterrupted(session) || problem;
    const card = create(isInParts ? "div" : "button", "session");
    card.append(...description(session));
    if (problem) {
      card.append(create("span", "fault", Words.sentence(problem)));
    } else if (isInParts) {
      card.classList.add("interrupted");
      entry.className = "first";
      const answers = create("span", "answers");
      answers.append(
        button(create("button", "primary", `Continue at ${Words.time(session.resume)}`), session, true),
        button(create("button", "", "From the beginning"), session));
      card.append(answers);
    } else {
      button(card, session);
    }
    entry.append(card);
    return entry;
  }

  /** Nobody knows the stages of a session that can't be played, or whose sounds are not downloaded yet. */
  function description({ title, name, seconds, stages, problem, playing }) {
    const line = create("span", "top-line"), known = stages.length ? Words.length(seconds) : "length unknown";
    line.append(create("span", "name", title || name), create("span", "length", problem ? "can’t be played" : known));
    if (playing && Store.isPlaying()) line.append(create("span", "playing", "Plays now"));
    const parts = [line];
    if (stages.length) parts.push(miniature(stages));
    if (1 < stages.length) parts.push(create("span", "names-line", stages.map((stage) => stage.name).join(" · ")));
    return parts;
  }

  function button(button, session, resume = false) {
    press(button, () => choose(session, resume));
    buttons.push({ button, session });
    return button;
  }

  function miniature(stages) {
    const box = create("span");
    const shape = { class: "bands", viewBox: "0 0 1000 12", preserveAspectRatio: "none", "aria-hidden": "true" };
    const svg = createSVG("svg", shape, box);
    const known = stages.reduce((sum, stage) => sum + (stage.seconds || 0), 0);
    const lengths = stages.map((stage) => stage.seconds ?? Math.max(60, known / 2));
    const total = lengths.reduce((sum, length) => sum + length, 0) || 1;
    let x = 0;
    for (const length of lengths) {
      const width = (1000 * length) / total;
      createSVG("rect", { x, y: 0, height: 12, width: Math.max(1, width - 4) }, svg);
      x += width;
    }
    return box;
  }

  function choose(session, resume) {
    const choice = resume ? { resume } : {};
    const text = Store.isPlaying() ? `${Words.quoted(Store.status.title)} ends then.` : "";
    // A session that goes on keeps its values.
    if (session.parameters && !resume) return Settings.ask(session, text, (set) => start(session, { set }));
    if (!text) return start(session, choice);
    const title = Words.quoted(session.title);
    Question.ask({
      title: resume ? `Continue ${title} at ${Words.time(session.resume)}?` : `Start ${title}?`,
      text, yes: resume ? "Continue" : "Start", no: "Cancel",
      onEnd(isYes) { if (isYes) start(session, choice); },
    });
  }

  async function start(session, choice) {
    Object.assign(Store, { starting: session.path, ended: null });
    Store.changed();
    try {
      await API.play(session.path, choice);
      Store.listOpen = false;
      Stream.look(0);
      // If no session starts, the list can be used again.
      await new Promise((done) => setTimeout(done, 8000));
    } catch (failure) {
      const text = failure instanceof API.Failure ? failure.message : "the player did not answer";
      const action = choice.set
        ? { name: "Change", run: () => choose(session) } : { name: "Retry", run: () => start(session, choice) };
      Messages.show(text, { key: "play", action });
    }
    if (Store.starting === session.path) Store.starting = null;
    Store.changed();
  }

  press(ui.libraryAgain, () => choose(again()));
  press(ui.openList, () => {
    Store.listOpen = !Store.listOpen;
    Store.changed();
    if (!Store.listOpen) return;
    Stream.loadList();
    ui.libraryTitle.focus();
  });

  return { draw };
})();
