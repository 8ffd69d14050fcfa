"use strict";

/** What was changed by hand. It outlives a reload of the page. */
const Hand = (() => {
  const KEY = "prosper.hand";
  const MARKED = /^(next|previous|goto|jump|seek|gong|extend|reload|playlist|repeat)/;
  const accepted = new Map();
  let first = null;

  function take(event) {
    const x = Plan.place()?.x;
    if (event.outcome === "accepted" && MARKED.test(event.name) && x !== undefined) accepted.set(event.id, x);
    if (event.outcome === "done" && accepted.has(event.id)) {
      Store.marks.push(accepted.get(event.id));
      keep();
      Picture.redraw();
    }
    if (event.outcome !== "accepted") accepted.delete(event.id);
  }

  function begin() {
    const { begun, status: { title, plannedDuration } } = Store;
    let kept = null;
    try { kept = JSON.parse(sessionStorage.getItem(KEY)); } catch { /* no storage */ }
    const isSame = kept?.title === title && Math.abs(kept.begun - begun) < 10;
    Store.marks = isSame ? kept.marks : [];
    first = isSame ? kept.first : plannedDuration;
    accepted.clear();
    compare();
  }

  function compare() {
    const now = Store.status?.plannedDuration;
    Store.stretched = first && now ? Math.round(now - first) : 0;
    keep();
  }

  function keep() {
    const kept = { title: Store.status?.title, begun: Store.begun, first, marks: Store.marks };
    try { sessionStorage.setItem(KEY, JSON.stringify(kept)); } catch { /* no storage */ }
  }

  return { take, begin, compare };
})();
