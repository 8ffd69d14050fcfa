"use strict";

const Question = (() => {
  let answer = null;

  function ask({ title, text, yes, no, isFinal, onEnd }) {
    write(ui.questionTitle, title);
    write(ui.questionText, text);
    write(ui.questionYes, yes);
    write(ui.questionNo, no);
    answer = onEnd;
    if (!ui.question.open) ui.question.showModal();
    (isFinal ? ui.questionNo : ui.questionYes).focus();
  }

  function close(isYes) {
    const end = answer;
    answer = null;
    ui.question.close();
    end?.(isYes);
  }

  press(ui.questionYes, () => close(true));
  press(ui.questionNo, () => close(false));
  // Escape, and a tap beside the question.
  ui.question.addEventListener("cancel", (event) => { event.preventDefault(); close(false); });
  ui.question.addEventListener("click", (event) => { if (event.target === ui.question) close(false); });

  return { ask };
})();
