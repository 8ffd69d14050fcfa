"use strict";

const Words = (() => {
  const two = (number) => String(number).padStart(2, "0");
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  function parts(seconds) {
    const whole = Math.max(0, Math.floor(seconds + 1e-6));
    return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  }

  function time(value) {
    const [hours, minutes, seconds] = parts(value);
    return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  }

  /** For a screen reader. */
  function spoken(value) {
    const nouns = ["hour", "minute", "second"];
    const words = parts(value).map((count, place) => count && counted(count, nouns[place]));
    return words.filter(Boolean).join(" ") || "0 seconds";
  }

  /** "25 min", "1 h 5 min", "4:30 min", "45 s"; "open" without an end. */
  function length(value) {
    if (value === null || value === undefined) return "open";
    const whole = Math.round(value), [hours, minutes] = parts(whole < 600 ? whole : whole + 30);
    if (whole < 60) return `${whole} s`;
    if (whole < 600 && whole % 60) return `${time(whole)} min`;
    return [hours && `${hours} h`, minutes && `${minutes} min`].filter(Boolean).join(" ");
  }

  /** The title of a sound that has none is its address. */
  const title = (text) => (/^https?:/.test(text) ? text.replace(/[?#].*/, "").replace(/.*\//, "") || text : text);
  const quoted = (text) => `“${title(text)}”`;

  /** A reason of the player as a sentence: "There is no previous track or stage." */
  function sentence(text) {
    const short = String(text || "the player gave no reason").trim().replace(/^https?:\S+(?=: )/, quoted);
    const first = short[0].toUpperCase() + short.slice(1);
    return /[.!?]$/.test(first) ? first : first + ".";
  }

  const volume = (value) =>
    (value <= 1.0001 ? `${Math.round(value * 100)} %` : `+${Math.round(20 * Math.log10(value))} dB`);

  return { time, spoken, length, sentence, title, quoted, volume, counted };
})();
