"use strict";

const Pairing = (() => {
  const text = ui.pairingText.textContent;
  const WRONG = "This code is wrong. Look at the player again.";
  let locked = 0, timer = 0, refused = null;

  /** `wasPaired`: the player does not know the token of this phone any more. */
  function open(wasPaired = false) {
    Stream.end();
    Messages.remove();
    Object.assign(Store, { status: null, timeline: null, sessions: null, spoken: null, expecting: Store.none() });
    Store.changed();
    if (wasPaired) {
      write(ui.pairingText, `The player does not know this phone any more. ${text}`);
      Messages.announce(ui.pairingText.textContent);
    }
    ui.code.focus();
  }

  function fail(text) {
    write(ui.pairingError, text);
    attribute(ui.code, "aria-invalid", text ? "true" : null);
    if (text) Messages.announce(text);
  }

  function lock(seconds) {
    locked = Date.now() + 1000 * seconds;
    clearInterval(timer);
    const tick = () => {
      const left = Math.ceil((locked - Date.now()) / 1000);
      enable(ui.pairingSend, left <= 0);
      write(ui.pairingError, 0 < left ? `Too many wrong codes. Try again in ${Words.counted(left, "second")}.` : "");
      if (left <= 0) clearInterval(timer);
    };
    tick();
    Messages.announce(ui.pairingError.textContent);
    timer = setInterval(tick, 1000);
  }

  const digits = () => ui.code.value.replace(/\D/g, "");

  async function send() {
    if (Date.now() < locked || ui.pairingSend.hasAttribute("data-busy")) return;
    const code = digits();
    if (code.length !== 6) return fail("The code has six digits.");
    // The sixth digit has sent it already; sent again, it would count as another attempt.
    if (code === refused) return fail(WRONG);
    attribute(ui.pairingSend, "data-busy", "");
    try {
      API.use(await API.pair(code));
      Store.link = "connecting";
      Store.changed();
      Stream.connect();
    } catch (failure) {
      ui.code.select();
      if (failure.status === 429) lock(failure.retryAfter || 60);
      else if (failure.status === 403) {
        refused = code;
        fail(WRONG);
      }
      else if (failure instanceof API.Failure) fail(Words.sentence(failure.message));
      else fail("The player does not answer. Is this phone in its network?");
    }
    attribute(ui.pairingSend, "data-busy", null);
  }

  ui.pairingForm.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  ui.code.addEventListener("input", () => {
    if (Date.now() < locked) return;
    fail("");
    if (digits().length === 6) send();
  });

  return { open };
})();
