"use strict";

/** Title and buttons for the lock screen and for headset keys, where the browser shows them. */
const Media = (() => {
  const session = navigator.mediaSession;
  let shown = "";

  function draw() {
    if (!session || typeof MediaMetadata === "undefined" || Store.access !== "control") return;
    const { title, stage, track } = Store.status || {}, isPlaying = Store.isPlaying();
    session.playbackState = !isPlaying ? "none" : Player.isPaused() ? "paused" : "playing";
    const key = isPlaying ? JSON.stringify([title, stage, track]) : "";
    if (key === shown) return;
    shown = key;
    const metadata = { title: track || stage || title, artist: stage || "", album: title };
    session.metadata = isPlaying ? new MediaMetadata(metadata) : null;
  }

  const handlers = {
    play() { if (Player.isPaused()) ui.pause.click(); }, pause() { if (!Player.isPaused()) ui.pause.click(); },
    nexttrack: () => ui.following.click(), previoustrack: () => ui.previous.click(),
    seekbackward: () => ui.back.click(), seekforward: () => ui.forward.click(),
  };
  for (const name in handlers) {
    try { session?.setActionHandler(name, handlers[name]); } catch { /* An older browser does not know this one. */ }
  }

  return { draw };
})();
