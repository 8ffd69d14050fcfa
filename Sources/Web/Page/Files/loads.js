"use strict";

/** The sounds that are being opened, and what they are: music, voices or bells. An event tells only their titles. */
const Loads = (() => {
  /** The commands that bring sounds which no plan has. The player executes them one after the other. */
  const BRINGING = { overlay: "overlays", gong: "gongs", effects: "gongs", playlist: "music" };
  const waiting = new Map();

  function command({ id, name, outcome }) {
    if (outcome !== "accepted") waiting.delete(id);
    else if (Object.hasOwn(BRINGING, name)) waiting.set(id, BRINGING[name]);
  }

  function layer(title) {
    const planned = Plan.layers(title), brought = [...waiting.values()];
    return brought.find((one) => !planned.length || planned.includes(one)) || planned[0] || "music";
  }

  function add({ id, title, milliseconds = 0 }) {
    Store.loads.set(id, { title, layer: layer(title), since: performance.now() - milliseconds });
    setTimeout(Store.changed, 310);
  }

  function end({ id, title }) {
    Store.loads.delete(id);
    Messages.remove(`load ${title}`);
  }

  function clear() {
    Store.loads.clear();
    waiting.clear();
  }

  return { command, add, end, clear };
})();
