"use strict";

/** How a session ended, as the page says it afterwards. */
const Ending = (() => {
  let error = null;

  function begin() {
    error = null;
    Store.ended = null;
  }

  function tell({ title }, { reason, recoverable, played = Clock.read().session } = {}) {
    // A status that says that nothing plays may come before the last event.
    if (!title) return;
    const name = Words.quoted(title), ended = { title: "The session has ended", text: `${name} is over.` };
    if (reason === "interrupted" || reason === "terminated") ended.text = `${name} was interrupted.`;
    if (reason === "outputFailed") {
      ended.title = played ? "The session broke off" : "The session did not start";
      const what = played ? `${name} broke off at ${Words.time(played)}` : `${name} was not heard`;
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
