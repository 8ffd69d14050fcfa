"use strict";

/**
 * The plan as one axis. After an open stage the times of a plan begin again at zero, so each stage has an offset on the
 * axis; an open stage is drawn as long as it has lasted, and somewhat longer.
 */
const Plan = (() => {
  let stages = [], total = 1, layers = new Map(), openLength = 0;

  function take() {
    openLength = 0;
    layers = new Map();
    for (const part of Store.timeline ? [Store.timeline, ...Store.timeline.stages] : []) {
      for (const [layer, sounds] of [["music", part.tracks], ["overlays", part.overlays], ["gongs", part.gongs]])
        for (const { title } of sounds || []) layers.set(title, (layers.get(title) || new Set()).add(layer));
    }
    lay();
  }

  function lay() {
    const plan = Store.timeline, planned = plan?.stages || [];
    const known = planned.reduce((sum, { begin, end }) => sum + (end === null ? 0 : end - begin), 0);
    let offset = 0;
    stages = planned.map((stage, index) => {
      const { name, note, begin, end } = stage, isOpen = end === null;
      const length = isOpen ? Math.max(60, known / 2, openLength) : end - begin;
      offset += length;
      return { index, name, note, begin, length, isOpen, offset: offset - length, stage };
    });
    // The last bells ring beyond the end of the last stage.
    total = Math.max(1, offset, plan?.duration ?? 0);
  }

  const axis = (entry, time) => entry.offset + time - entry.begin;

  /** Where the session is: its stage, its time in the plan, and the place `x` on the axis. */
  function place() {
    const status = Store.status, now = Clock.read();
    if (!stages.length || !status) return null;
    const open = stages.findIndex((entry) => entry.isOpen);
    let entry, time = now.planned;
    if (time !== null) {
      const before = stages.slice(0, open < 0 ? undefined : open + 1).filter((one) => one.begin <= time + 1e-3);
      entry = before.findLast((one) => one.name === status.stage) || before.at(-1) || stages[0];
    } else {
      // After an open stage the last part that was heard says where the session is.
      const named = stages.filter((one) => one.name === status.stage);
      entry = named.find((one) => open < one.index) || named[0];
      if (!entry) return null;
      const part = status.heard?.at(-1);
      time = entry.begin + (part?.stage === entry.name ? part.to + Math.max(0, now.session - status.session) : 0);
    }
    if (entry.isOpen && entry.length * 0.9 < time - entry.begin) {
      openLength = (time - entry.begin) * 1.4;
      lay();
      entry = stages[entry.index];
      Picture.redraw();
    }
    return { entry, time, x: Math.min(Math.max(0, axis(entry, time)), total) };
  }

  function at(x) {
    const entry = stages.findLast((one) => one.offset <= x) || stages[0];
    return { entry, time: entry.begin + Math.min(Math.max(0, x - entry.offset), entry.length) };
  }

  /** Whether the place has a time: after an open stage, none has. */
  const isTimed = (x) => !stages.some((one) => one.isOpen && one.offset + one.length <= x);

  /** Seconds until the stage ends; null if nobody knows. */
  function stageLeft() {
    const now = place();
    return now && !now.entry.isOpen ? now.entry.begin + now.entry.length - now.time : null;
  }

  function remaining() {
    const now = Clock.read(), length = Store.status.plannedDuration;
    if (now.planned !== null && length) return Math.max(0, length - now.planned);
    return now.duration === null ? null : Math.max(0, now.duration - now.session);
  }

  const overlays = () => [
    ...stages.flatMap((entry) => entry.stage.overlays.map((overlay) => ({ overlay, x: axis(entry, overlay.at) }))),
    ...(Store.timeline?.overlays || []).map((overlay) => ({ overlay, x: overlay.at })),
  ];

  /** Where the session was changed by hand. */
  const marks = () => (Store.status?.changes || []).flatMap(({ stage, at }) => {
    const entry = stages.find((one) => one.name === stage);
    return entry ? [entry.offset + Math.min(at, entry.length)] : [];
  });

  /** Whether what is behind the needle was left out. What is before the beginning was heard another time. */
  function isMissed(from, to) {
    const parts = (Store.status?.heard || []).flatMap((part, index, { length }) => {
      const offset = stages.find((one) => one.name === part.stage)?.offset ?? NaN;
      // The last part goes on to the needle.
      return [[offset + part.from, index + 1 < length ? offset + part.to : Infinity]];
    });
    return 0 < parts.length && parts[0][0] <= to && !parts.some(([begin, end]) => begin <= to && from < end);
  }

  /** The title of the track `steps` away in the stage; beyond its ends only the player knows it. */
  function trackAfter({ stage, track, index }, steps) {
    const tracks = stages.filter((entry) => entry.name === stage).flatMap((entry) => entry.stage.tracks);
    const now = tracks.findIndex((one) => one.title === track && one.index === index);
    return now < 0 ? undefined : tracks[now + steps]?.title;
  }

  return {
    take, axis, place, at, isTimed, stageLeft, remaining, overlays, marks, isMissed, trackAfter, stages: () => stages, total: () => total,
    layers: (title) => [...(layers.get(title) || [])],
  };
})();
