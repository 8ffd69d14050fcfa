"use strict";

/** The picture of the plan, in the colours of `show --svg`. */
const Picture = (() => {
  const TOP = 10, FLOOR = 68, HEIGHT = 52, VOICE = 76, BELL = 104;
  let width = 0, isWanted = false, bells = [], voices = [], bands = [], marked = null;

  const add = (name, attributes) => createSVG(name, attributes, ui.planPicture);
  const round = (value) => Math.round(value * 10) / 10;
  const x = (place) => (place / Plan.total()) * width;

  function redraw() {
    if (!isWanted) queueMicrotask(draw);
    isWanted = true;
  }

  function draw() {
    isWanted = false;
    width = ui.planPicture.clientWidth;
    if (!width) return;
    for (const part of [ui.planPicture, ui.planWords, ui.planNames]) part.replaceChildren();
    bells = []; voices = []; bands = [];
    for (const entry of Plan.stages()) drawStage(entry);
    const { overlays = [], gongs = [] } = Store.timeline || {};
    drawCues(overlays, gongs, (time) => time);
    marked = null;
    Timeline.draw();
  }

  function drawStage(entry) {
    const left = x(entry.offset), right = x(entry.offset + entry.length), size = round(right - left);
    const band = add("rect", { class: "stage-band", x: round(left), y: TOP, width: size, height: FLOOR - TOP });
    const label = create("span", "", entry.name);
    label.style.left = `${round(left)}px`;
    label.style.maxWidth = `${Plan.stages()[entry.index + 1] ? size : width - left}px`;
    // A label of two letters says nothing.
    label.hidden = size < 30;
    ui.planNames.append(label);
    bands.push({ entry, band, label });
    const end = entry.begin + entry.length;
    const place = (time) => Plan.axis(entry, entry.isOpen ? Math.min(time ?? end, end) : time);
    for (const track of entry.stage.tracks) drawMusic(track, place);
    const isShown = (cue) => !entry.isOpen || cue.at < end;
    drawCues(entry.stage.overlays.filter(isShown), entry.stage.gongs.filter(isShown), place);
    const edge = entry.isOpen ? "stage-edge open" : "stage-edge";
    for (const [isDrawn, at] of [[entry.index, left], [entry.isOpen, right]])
      if (isDrawn) add("path", { class: edge, d: `M${round(at)} ${TOP - 4}V${BELL + 10}` });
  }

  function drawMusic(track, place) {
    const from = x(place(track.at)), to = x(place(track.end)), rise = track.fadeIn;
    const fall = [track.fadeOut, track.leave].filter(Boolean).sort((one, other) => one.at - other.at)[0];
    const up = rise ? x(place(rise.at + rise.duration)) : from, down = fall ? x(place(fall.at)) : to;
    const isNarrow = to - from < 1, kind = isNarrow ? "many" : `m${track.index % 4}`;
    const places = isNarrow ? [from, from, from + 1, from + 1] : [from, up, Math.max(up, down), to];
    const points = places.map((place, index) => `${round(place)},${index % 3 ? FLOOR - HEIGHT : FLOOR}`);
    add("polygon", { class: kind, points: points.join(" ") });
    const title = Words.title(track.title);
    if (7.2 * title.length < down - up - 10)
      createSVG("text", { x: round(Math.max(0, up) + 5), y: FLOOR - 7 }, ui.planWords).textContent = title;
  }

  function drawCues(overlays, gongs, place) {
    for (const { at, end, title } of overlays) {
      const left = x(place(at)), size = round(Math.max(4, x(place(end)) - left));
      const rect = add("rect", { class: "voice", x: round(left), y: VOICE, width: size, height: 14, rx: 3 });
      voices.push({ rect, title, from: place(at), to: place(end) });
    }
    let last = -9;
    for (const gong of gongs) {
      // Bells on the same pixel are one.
      if (x(place(gong.at)) - last < 1) continue;
      last = x(place(gong.at));
      drawBell(place(gong.at));
    }
  }

  function drawBell(at) {
    const cx = round(Math.min(Math.max(x(at), 5), width - 5));
    const circle = add("circle", { class: "bell", cx, cy: BELL, r: 4.5 });
    bells.push({ circle, at });
    return circle;
  }

  /** Where the session was changed by hand. */
  function drawHand() {
    marked = Store.status;
    for (const mark of ui.planPicture.querySelectorAll(".hand")) mark.remove();
    for (const mark of Plan.marks())
      add("path", { class: "hand", d: `M${round(Math.min(Math.max(0, x(mark) - 5), width - 10))} 0h10l-5 8z` });
  }

  function mark(place) {
    if (width && marked !== Store.status) drawHand();
    for (const { entry, band, label } of bands)
      for (const element of [band, label]) element.classList.toggle("current", place?.entry.index === entry.index);
    const playing = Store.status?.overlays || [], isBehind = (from) => Boolean(place) && from < place.x;
    for (const { rect, title, from, to } of voices) {
      const isHere = place && from - 1 <= place.x && place.x <= to + 1;
      rect.classList.toggle("sounding", Boolean(isHere) && playing.includes(title));
      rect.classList.toggle("missed", isBehind(from) && Plan.isMissed(from, to));
    }
    for (const { circle, at } of bells) circle.classList.toggle("missed", isBehind(at) && Plan.isMissed(at, at));
  }

  /** A bell that was rung by hand is not in the plan. */
  function glow(at) {
    if (!Plan.stages().length || !width) return;
    const circle = bells.find((bell) => Math.abs(bell.at - at) < 1)?.circle || drawBell(at);
    circle.classList.remove("glow");
    requestAnimationFrame(() => circle.classList.add("glow"));
  }

  new ResizeObserver(redraw).observe(ui.planPicture);

  return { redraw, mark, glow, x, width: () => width };
})();
