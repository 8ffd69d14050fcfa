"use strict";

/** Where "now" is between two events: the last known place, and the time that has passed since. */
const Clock = (() => {
  const MOVING = ["playing", "preparingCrossfade", "crossfading", "fadingOut"];
  let base = { planned: null, position: null, duration: null, session: 0, at: 0, isMoving: false };
  let held = null;

  const isMoving = (status) => MOVING.includes(status.state) && !status.outputLost && Store.expecting.pause !== "pause";

  function take({ planned = null, position = null, duration = null, session = 0 }, at = performance.now()) {
    base = { planned, position, duration, session, at, isMoving: isMoving(Store.status) };
  }

  function follow(event) {
    const now = read(), step = event.session - now.session;
    const moved = (value) => (value === null ? null : value + step);
    take({
      planned: event.planned === undefined ? moved(now.planned) : event.planned,
      position: event.position ?? moved(now.position), duration: now.duration, session: event.session,
    });
  }

  function read() {
    const step = base.isMoving ? Math.max(0, performance.now() - base.at) / 1000 : 0;
    const moved = (value) => (value === null ? null : value + step);
    const { planned, position, session, duration } = base;
    return { planned: moved(planned), position: moved(position), session: session + step, duration };
  }

  return {
    take, follow, read, isMoving: () => base.isMoving,
    /** A pause is shown at once. If the player refuses it, the time goes on as if nothing had been. */
    hold() { held = base; base = { ...base, ...read(), isMoving: false }; },
    release(wasRefused) { if (held && wasRefused) base = held; held = null; },
  };
})();
