"use strict";

/** How a session ended, as the page says it afterwards. */
const Ending = (() => {
  let error = null;

  function begin() {
    error = null;
    Store.ended = null;
  }

  function tell({ title }, { reason, recoverable, played } = {}) {
    // A status that says that nothing plays may come before the last event.
    if (!title) return;
    const name = Words.quoted(title), isInterrupted = reason === "interrupted" || reason === "terminated";
    const ended = { title: "The session has ended", text: `${name} ${isInterrupted ? "was interrupted" : "is over"}.` };
    // Only the last event has the time that was played; its place in the plan is another one after a skip.
    if (played) ended.text += ` ${Words.time(played)} played.`;
    if (reason === "outputFailed") {
      const wasHeard = played ?? Clock.read().session;
      ended.title = wasHeard ? "The session broke off" : "The session did not start";
      const after = played ? ` after ${Words.time(played)}` : "";
      const what = wasHeard ? `${name} broke off${after}` : `${name} was not heard`;
      ended.text = Words.sentence(error ? `${what}: ${error.message}` : what);
      ended.again = (recoverable ?? error?.recoverable) ? title : null;
      if (ended.text !== Store.ended?.text) Messages.announce(ended.text);
    }
    Store.ended = ended;
  }

  /** The event after this one tells whether the session ends with it. */
  const note = (event) => { error = event; };

  return { begin, tell, note };
})();
