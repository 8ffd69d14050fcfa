"use strict";

/** What the page knows. Whoever changes it calls `changed`; the parts of the page then draw themselves. */
const Store = (() => {
  const watchers = [];
  const none = () => ({ pause: null, track: null, place: null, position: null, settling: [] });

  return {
    access: null,          // "control" or "view", as the server says
    link: "connecting",    // "open", "lost"
    screen: "wait",
    listOpen: false,       // the list of sessions, while one plays
    status: null,
    timeline: null,
    sessions: null,
    month: null,           // {sits, seconds}: those of the log in this month
    begun: 0,              // when the session began, in seconds as the phone counts them
    ended: null,           // {title, text, again}: how the last session ended, and its title to try it again
    starting: null,        // the path of the session that was asked for
    spoken: null,          // {text, isSaid, at, title, playing}: what was just said
    loads: new Map(),      // id → {title, layer, since}
    expecting: none(),     // shown before the player confirms it

    none,
    watch(watcher) { watchers.push(watcher); },
    changed() { for (const watcher of watchers) watcher(); },
    isPlaying() { return Boolean(this.status && !["idle", "finished", "failed"].includes(this.status.state)); },
    isOpen() { return this.link === "open"; },
    can(action) { return Boolean(this.status?.actions?.includes(action)); },
    /** `goto` is not among the actions; it has an effect as long as the session can be changed. */
    canChange() { return this.can("finish"); },
    /** A load that lasts: shorter ones are not worth a word. */
    load(...layers) {
      const long = performance.now() - 300;
      return [...this.loads.values()].find((load) => layers.includes(load.layer) && load.since < long);
    },
  };
})();
