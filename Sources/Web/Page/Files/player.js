"use strict";

const Player = (() => {
  const CONDITIONS = {
    idle: "Nothing plays", preparing: "Opening", crossfading: "Crossfading", paused: "Paused",
    crossfadePaused: "Paused", fadingOut: "Fading out", finished: "Ended", failed: "Stopped",
  };
  /** What a press does, and the actions of which one must have an effect. */
  const BUTTONS = {
    pause: [Commands.pause, "pause", "resume", "toggle"],
    previous: [(button) => Commands.track(-1, button), "previous"],
    following: [(button) => Commands.track(1, button), "next"],
    back: [(button) => Commands.seek(-15, button), "seek"], forward: [(button) => Commands.seek(15, button), "seek"],
    stageBack: [(button) => Commands.stage(-1, button), "previousStage"],
    stageNext: [(button) => Commands.stage(1, button), "nextStage"],
    bell: [(button) => Commands.send({ do: "gong" }, { button }), "gong"],
    extend: [(button) => Commands.extend(5, button), "extend"],
    shorten: [(button) => Commands.extend(-5, button), "extend"],
    end: [askEnd, "finish", "stop"], reload: [askReload, "reload"],
  };
  let listed = "";

  function isPaused() {
    if (Store.expecting.pause) return Store.expecting.pause === "pause";
    return /paused/i.test(Store.status?.state) || (Store.can("resume") && !Store.can("pause"));
  }

  /** The player of a single session ends with it. */
  const isGone = () => Store.link === "lost" && Store.status?.state === "finished";

  function condition() {
    if (!API.hasToken()) return "Not paired";
    if (isGone()) return "Ended";
    if (Store.link === "lost") return "Not connected. Trying again.";
    if (!Store.status) return "Connecting";
    if (Store.status.outputLost) return "No sound output";
    if (Store.expecting.pause) return isPaused() ? "Paused" : "Playing";
    if (Store.status.music === "paused" && !isPaused()) return "Music paused";
    return CONDITIONS[Store.status.state] || "Playing";
  }

  function drawTop() {
    write(ui.conditionText, condition());
    ui.dot.classList.toggle("lost", Store.link === "lost" && !isGone());
    ui.dot.classList.toggle("still", isGone() || Store.link !== "lost" && (!Store.isPlaying() || isPaused()));
    const queued = Store.status?.queued || 0;
    reveal(ui.queued, 1 < queued && Store.isOpen());
    write(ui.queued, `${queued} queued`);
    reveal(ui.openList, Store.access === "control" && Store.isPlaying() && Boolean(Store.sessions?.length));
    write(ui.openListText, Store.listOpen ? "Player" : "Sessions");
    // Beside the number there is only room for the icon.
    attribute(ui.openList, "aria-label", ui.openListText.textContent);
  }

  /** "Practice · rain 1:40 → drone next"; in italics what is expected, and a load beside the sound that loads. */
  function drawHeading({ title, stage, track, next, hasNext }) {
    const { track: expected, position: seeked } = Store.expecting;
    const load = Store.load("music"), position = seeked ?? Clock.read().position;
    const playing = Words.title(expected?.title || track || "");
    write(ui.title, title || "");
    write(ui.stage, stage || "");
    reveal(ui.trackPart, Boolean(playing));
    write(ui.track, playing);
    ui.track.classList.toggle("expected", Boolean(expected));
    write(ui.trackTime, expected || position === null ? "" : Words.time(position));
    ui.trackTime.classList.toggle("expected", seeked !== null);
    const following = !expected && !load && next && hasNext !== false;
    reveal(ui.nextPart, Boolean(following));
    if (following) write(ui.next, Words.title(next.track));
    const seconds = load ? Math.floor((performance.now() - load.since) / 1000) : 0;
    write(ui.musicLoad, load ? ` → opening ${Words.quoted(load.title)}${seconds ? `, ${seconds} s` : ""}` : "");
    ui.musicLoad.classList.toggle("on", Boolean(load));
  }

  function drawButtons() {
    const paused = isPaused(), isOpen = Store.isOpen();
    attribute(ui.pause, "aria-label", paused ? "Resume" : "Pause");
    attribute(ui.pause.querySelector("use"), "href", paused ? "#i-play" : "#i-pause");
    for (const [id, [, ...actions]] of Object.entries(BUTTONS))
      enable(ui[id], isOpen && actions.some((action) => Store.can(action)));
    // A stage that would end at once is left with the button for that.
    if (!(300 < Plan.stageLeft())) enable(ui.shorten, false);
    reveal(ui.reload, Store.can("reload"));
    write(ui.end, isFading() ? "End now…" : "End session…");
    ui.bell.classList.toggle("loading", Boolean(Store.load("gongs")));
  }

  function drawStages() {
    const stages = Plan.stages();
    const key = JSON.stringify(stages.map((one) => [one.name, one.note, one.isOpen || one.length]));
    if (key !== listed) ui.stageList.replaceChildren(...stages.map(stageItem));
    listed = key;
    reveal(ui.stages, 1 < stages.length);
    const current = Plan.place()?.entry.index;
    for (const [index, { firstChild: button }] of [...ui.stageList.children].entries()) {
      attribute(button, "aria-current", current === index ? "step" : null);
      enable(button, Store.isOpen() && Store.canChange());
    }
  }

  function stageItem({ name, note, isOpen, length, index }) {
    const item = create("li"), button = create("button");
    button.append(create("span", "name", name), create("span", "length", Words.length(isOpen ? null : length)));
    if (note) button.append(create("span", "note", note));
    press(button, () => {
      const entry = Plan.stages()[index];
      Timeline.goTo({ entry, time: entry.begin }, entry.offset);
    });
    item.append(button);
    return item;
  }

  const isFading = () => Store.can("stop") && !Store.can("finish");

  function askEnd(button) {
    const command = { do: isFading() ? "stop" : "finish" };
    const [title, text, yes, no] = isFading()
      ? ["End the session now?", "Ends the session at once.", "End now", "Let it fade"]
      : ["End the session?", "Fades out over 3 s and ends the session.", "End session", "Keep playing"];
    const onEnd = (isYes) => { if (isYes) Commands.send(command, { button }); };
    Question.ask({ title, text, yes, no, isFinal: true, onEnd });
  }

  function askReload(button) {
    const text = "What is still to come follows the file as it is now. This stage goes on where it is.";
    const onEnd = (isYes) => { if (isYes) Commands.reload(button); };
    Question.ask({ title: "Reload the session file?", text, yes: "Reload", no: "Leave it", onEnd });
  }

  /** The bell glows when one is heard, whoever rang it. */
  function glow() {
    ui.bell.classList.remove("glow");
    requestAnimationFrame(() => ui.bell.classList.add("glow"));
  }

  function draw() {
    drawTop();
    document.body.classList.toggle("uncertain", !Store.isOpen());
    if (Store.screen !== "player") return;
    drawHeading(Store.status);
    drawButtons();
    drawStages();
  }

  for (const [id, [action]] of Object.entries(BUTTONS)) press(ui[id], action);
  // The seconds of a load, and those of the track.
  setInterval(() => { if (Store.screen === "player") drawHeading(Store.status); }, 500);

  return { draw, isPaused, glow };
})();
