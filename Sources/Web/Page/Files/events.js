"use strict";

/** What each event changes. A status brings afterwards what events do not say. */
const Events = (() => {
  const VOLUMES = { master: "volumeTarget", music: "musicVolume", overlay: "overlayVolume" };
  /** These change nothing that a status would tell. */
  const QUIET = /^(position|crossfade.progress|caption|gong|warning|load.(started|progress|cancellable|completed))$/;
  let failed = {};

  const now = () => Plan.place()?.x ?? Clock.read().planned;

  /** A sound that failed. The reply to a command of this page, and an `error` that follows, say the same. */
  function fail(event, title, text) {
    failed = { code: event.code, at: performance.now() };
    Commands.failedLoad(event, title, text);
  }

  function because({ title, reason = "there is no reason" }, verb) {
    const own = reason.startsWith(`${title}: `) ? reason.slice(title.length + 2) : null;
    return own ? `${Words.quoted(title)} ${own}` : `${Words.quoted(title)} ${verb}: ${reason}`;
  }

  function output(text, seconds) {
    Messages.show(text, { key: "output", seconds });
  }

  function finished(status, event) {
    Ending.tell(status, event);
    Object.assign(status, { state: "finished", actions: [] });
    Object.assign(Store, { starting: null, expecting: Store.none() });
    Loads.clear();
    Messages.remove();
  }

  const kinds = {
    "session.started"(event, status) {
      Question.drop();
      Ending.begin();
      status.title = event.title;
      Object.assign(Store, { starting: null, spoken: null, listOpen: false });
      Loads.clear();
      Messages.remove();
      Stream.loadPlan();
    },
    "stage.started"(event, status) {
      status.stage = event.name;
      // To take back a longer stage means the stage that plays.
      Messages.remove("extended");
    },
    state(event, status) {
      Object.assign(status, { state: event.state, music: event.music });
      Commands.confirm();
      if (event.state === "finished") finished(status);
      if (event.state === "failed") finished(status, { reason: "outputFailed", recoverable: event.recoverable });
    },
    track(event, status) {
      Object.assign(status, { track: event.title, index: event.index, next: null });
      Store.expecting.track = null;
    },
    "overlay.started"({ title }) {
      if (!Caption.isLayer(title)) Store.spoken = { ...Caption.words(title), at: now(), title, playing: true };
    },
    "overlay.ended"({ title }) {
      if (Store.spoken?.title === title) Store.spoken.playing = false;
    },
    caption({ text }) {
      const { title, playing } = Store.spoken || {};
      Store.spoken = { text, isSaid: true, at: now(), title, playing };
    },
    gong() {
      Picture.glow(now());
      Player.glow();
    },
    volume({ of, to }, status) { if (VOLUMES[of]) status[VOLUMES[of]] = to; },
    command(event) {
      Loads.command(event);
      if (event.outcome === "done" && ["extend", "reload"].includes(event.name)) Stream.loadPlan();
    },
    "load.started"(event) { Loads.add(event); },
    "load.progress"(event) { Loads.add(event); },
    "load.cancellable"({ title }) {
      const action = { name: "Cancel", run: () => Commands.send({ do: "cancel" }) };
      if (Store.access !== "control") return;
      Messages.show(`${Words.quoted(title)} is still being opened`, { key: `load ${title}`, seconds: 0, action });
    },
    "load.completed"(event) { Loads.end(event); },
    "load.failed"(event) {
      Loads.end(event);
      if (event.code !== "cancelled") fail(event, event.title, because(event, "can’t be opened"));
    },
    "load.timeout"(event) {
      Loads.end(event);
      fail(event, event.title, `${Words.quoted(event.title)} is taking longer than expected`);
    },
    "crossfade.timeout"(event) {
      fail(event, event.to, `${Words.quoted(event.to)} was not open in time for its crossfade`);
    },
    "track.skipped"(event) { fail(event, event.title, because(event, "was left out")); },
    "output.lost"(event, status) {
      if (event.follows) return output(`${event.output} gets no sound: ${event.reason}`, 0);
      status.outputLost = true;
      output(`the sound output is lost${event.reason ? `: ${event.reason}` : ""}`, 0);
    },
    "output.restored"(event, status) {
      if (event.follows) return output(`${event.output} is back`);
      status.outputLost = false;
      output("the sound output is back");
    },
    "output.moved"({ reason, to, follows }) {
      if (follows) return;
      output(reason ? `the session is paused: ${reason}` : `the session now plays on ${to}`);
    },
    "output.corked"({ reason = "the sound server asked for silence, as for a call" }) {
      output(`the session is silenced: ${reason}`);
    },
    error(event) {
      const { code, message } = event;
      Ending.note(event);
      const isKnown = Commands.isWaiting() || (code === failed.code && performance.now() - failed.at < 1500);
      if (!isKnown) Messages.show(message, { key: `error ${code}` });
    },
    warning({ message }) {
      if (Store.access === "control") Messages.show(message, { key: "warning" });
    },
    "session.finished": (event, status) => finished(status, event),
  };

  function take(event) {
    const status = Store.status, { event: name, session } = event;
    // A crossfade reports its state ten times a second.
    const isQuiet = QUIET.test(name) || (name === "state" && event.state === status.state);
    if (Object.hasOwn(kinds, name)) kinds[name](event, status);
    if (session !== undefined && name !== "session.started") Clock.follow(event);
    if (!isQuiet) Stream.noteChange();
    if (!isQuiet) Stream.look();
    if (name !== "crossfade.progress") Store.changed();
  }

  return { take };
})();
