"use strict";

/** The needle, and the way to another place. */
const Timeline = (() => {
  const slow = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0, cursor = null, described = "";

  function move(element, x) {
    const transform = `translateX(${Math.round(Picture.x(x) * 4) / 4}px)`;
    if (element.style.transform !== transform) element.style.transform = transform;
  }

  function draw() {
    clearTimeout(timer);
    const place = Plan.place(), x = Store.expecting.place ?? place?.x;
    reveal(ui.needle, Boolean(place));
    reveal(ui.aim, cursor !== null);
    if (cursor !== null) move(ui.aim, cursor);
    if (place) {
      move(ui.needle, x);
      move(ui.planAhead, x);
      const left = Plan.remaining();
      write(ui.remaining, left === null ? "open" : `−${Words.time(Math.ceil(left - 0.05))}`);
      describe(place);
    }
    write(ui.elapsed, Words.time(place && Plan.isTimed(x) ? x : Clock.read().session));
    const added = Math.round(Store.status?.added || 0), length = Words.length(Math.abs(added));
    write(ui.byHand, added ? `${added < 0 ? "−" : "+"}${length} by hand` : "");
    Picture.mark(place);
    schedule();
  }

  /** The needle moves when it would be seen: every frame in a short session, some times a second in a long one. */
  function schedule() {
    if (!Clock.isMoving() || document.visibilityState === "hidden" || Store.screen !== "player") return;
    const wait = slow.matches ? 1000 : Math.min(250, (250 * Plan.total()) / Math.max(1, Picture.width()));
    timer = setTimeout(wait < 20 ? () => requestAnimationFrame(draw) : draw, Math.max(8, wait));
  }

  function describe(place) {
    const isViewer = Store.access === "view", x = Math.floor(cursor ?? place.x);
    const { entry, time } = cursor === null ? place : Plan.at(cursor), isTimed = Plan.isTimed(Plan.total());
    const when = isTimed ? `${Words.spoken(x)} of ${Words.spoken(Plan.total())}` : Words.spoken(time - entry.begin);
    const text = `${entry.name}, ${when}`;
    attribute(ui.plan, "role", isViewer ? "img" : "slider");
    attribute(ui.plan, "tabindex", isViewer ? null : 0);
    attribute(ui.plan, "aria-disabled", isViewer || Store.canChange() ? null : "true");
    // Who stands on the timeline with a screen reader must not hear every second.
    if (text === described || (document.activeElement === ui.plan && cursor === null && x % 30)) return;
    described = text;
    attribute(ui.plan, "aria-label", isViewer ? `Now: ${text}` : "Timeline; Enter goes to a place");
    const values = { valuemin: 0, valuemax: Math.round(Plan.total()), valuenow: x, valuetext: text };
    for (const key in values) attribute(ui.plan, `aria-${key}`, isViewer ? null : values[key]);
  }

  /** Near the beginning of a stage the beginning is meant; elsewhere a round time. */
  function ask(x) {
    if (Store.access !== "control" || !Store.canChange() || !Plan.stages().length || !Store.isOpen()) return;
    const total = Plan.total(), step = 3600 < total ? 60 : 600 < total ? 15 : 1;
    const near = Plan.stages().find((entry) => Math.abs(entry.offset - x) < (10 * total) / Picture.width());
    const round = Math.min(Math.round(x / step) * step, total - 1);
    if (near) goTo({ entry: near, time: near.begin }, near.offset); else goTo(Plan.at(round), round);
  }

  function goTo(target, x) {
    const { entry: { name }, time } = target, since = time - target.entry.begin, isTimed = Plan.isTimed(x);
    cursor = x;
    draw();
    Question.ask({
      title: !since ? `Go to the beginning of ${name}?` : `Go to ${name}, ${Words.time(isTimed ? x : since)}?`,
      text: since ? `That is ${Words.time(since)} after the beginning of ${name}.`
        : isTimed ? `It begins at ${Words.time(x)}.` : "It begins when the open stage ends.",
      yes: "Go there", no: "Stay here",
      fits: () => Plan.stages().some((one) => one.name === name && (one.isOpen || since < one.length)),
      onEnd(isYes) {
        cursor = null;
        if (isYes) Commands.goTo(target, x); else draw();
      },
    });
  }

  ui.plan.addEventListener("click", (event) => {
    const box = ui.plan.getBoundingClientRect();
    // The tap of a screen reader has no place: it means the one that was chosen before.
    if (!event.detail && cursor !== null) ask(cursor);
    else ask(Math.min(Math.max(0, (event.clientX - box.left) / box.width), 1) * Plan.total());
  });

  ui.plan.addEventListener("keydown", (event) => {
    const place = Plan.place();
    if (!place || Store.access !== "control" || event.ctrlKey || event.metaKey || event.altKey) return;
    const total = Plan.total(), step = total < 300 ? 5 : 15, from = cursor ?? place.x, stages = Plan.stages();
    const back = from - step, forward = from + step;
    const targets = {
      ArrowLeft: back, ArrowDown: back, ArrowRight: forward, ArrowUp: forward, Home: 0, End: total,
      PageDown: stages.findLast((entry) => entry.offset < from - 1)?.offset ?? 0,
      PageUp: stages.find((entry) => from + 1 < entry.offset)?.offset ?? total,
    };
    if (event.key === "Enter") ask(from);
    else if (event.key === "Escape") cursor = null;
    else if (event.key in targets) cursor = Math.min(Math.max(0, targets[event.key]), total);
    else return;
    draw();
    event.preventDefault();
    event.stopPropagation();
  });
  ui.plan.addEventListener("blur", () => {
    if (!ui.question.open) cursor = null;
    draw();
  });
  document.addEventListener("visibilitychange", draw);

  return { draw, goTo };
})();
