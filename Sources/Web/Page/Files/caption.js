"use strict";

/** What was just said, large: a caption, or until there are captions the title of the voice. */
const Caption = (() => {
  /** An overlay that is a layer of sound says nothing. */
  function isLayer(title) {
    const same = Plan.overlays().filter(({ overlay }) => overlay.title === title);
    return same.length > 0 && same.every(({ overlay }) => overlay.layer);
  }

  /** The overlay that plays at a place, or was the last one before it. */
  function last(x) {
    const before = Plan.overlays().filter((one) => one.x <= x + 0.1 && !one.overlay.layer);
    return before.length ? before.reduce((latest, one) => (latest.x <= one.x ? one : latest)) : null;
  }

  const text = ({ caption, title }) => ({ text: caption || Words.title(title), isSaid: Boolean(caption) });

  function words(title) {
    const found = last((Plan.place()?.x ?? 0) + 1)?.overlay;
    return text(found?.title === title ? found : { title });
  }

  /** Until an event comes, the plan says what came last in this stage; what came before it may have been skipped. */
  function fromPlan(place) {
    const found = place && last(place.x);
    if (!found || found.x < place.entry.offset) return null;
    const { title, at, captions = [] } = found.overlay, playing = (Store.status.overlays || []).includes(title);
    // The sentences have the times of the sound, which may have been moved.
    const said = captions.map((one) => ({ text: one.text, x: found.x + one.at - at })).filter(({ x }) => x <= place.x).at(-1);
    return said ? { text: said.text, isSaid: true, at: said.x, title, playing } : { ...text(found.overlay), at: found.x, title, playing };
  }

  function draw() {
    const place = Plan.place(), spoken = Store.spoken || fromPlan(place), load = Store.load("overlays");
    const isPlaying = Boolean(spoken?.playing) && !Player.isPaused();
    const at = spoken?.at == null ? "" : ` at ${Words.time(spoken.at)}`;
    let when = "Stage";
    if (spoken) when = spoken.isSaid ? `Said${at}` : isPlaying ? "Playing now" : `Played${at}`;
    if (load) when = `Opening ${Words.quoted(load.title)}`;
    write(ui.captionWhen, when);
    write(ui.captionText, spoken ? spoken.text : Store.status.stage || Store.status.title || "");
    ui.caption.classList.toggle("sounding", isPlaying);
    attribute(ui.caption, "data-busy", load ? "" : null);
    const note = place?.entry.note || "";
    reveal(ui.captionNote, Boolean(note));
    write(ui.captionNote, note);
  }

  return { draw, words, isLayer };
})();
