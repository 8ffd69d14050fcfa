"use strict";

/** A question about the session that plays. When that is over, or another one plays, nobody can answer it any more. */
const Question = (() => {
  let answer = null, isStill = null;

  /** `fits`: whether the question still has a meaning, as the plan is now. */
  function ask({ title, text, yes, no, isFinal, fits = () => true, onEnd }) {
    write(ui.questionTitle, title);
    write(ui.questionText, text);
    write(ui.questionYes, yes);
    write(ui.questionNo, no);
    [answer, isStill] = [onEnd, fits];
    if (!ui.question.open) ui.question.showModal();
    draw();
    (isFinal ? ui.questionNo : ui.questionYes).focus();
  }

  function close(isYes = false) {
    const end = answer;
    answer = null;
    ui.question.close();
    end?.(isYes);
  }

  function drop() { if (ui.question.open) close(); }

  function draw() {
    if (!ui.question.open) return;
    if (!Store.isPlaying() || !isStill()) return close();
    // Without a connection nobody knows which session would be meant.
    enable(ui.questionYes, Store.isOpen());
  }

  press(ui.questionYes, () => close(true));
  press(ui.questionNo, () => close());
  // Escape, and a tap beside the question.
  ui.question.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
  ui.question.addEventListener("click", (event) => { if (event.target === ui.question) close(); });

  return { ask, draw, drop };
})();
