"use strict";

/** A slider sends its last value, never two at once, and shows the player's value when left alone. */
const Sliders = (() => {
  // Music and voice go up to +12 dB; full volume stands at 70 % of their way.
  const MOST = 1000, FULL = 700, BOOST = 12;

  function level(position, isLoud) {
    if (!isLoud) return position / MOST;
    if (Math.abs(position - FULL) < 12) return 1;
    return position < FULL ? position / FULL : 10 ** ((BOOST * (position - FULL)) / (MOST - FULL) / 20);
  }

  function position(value, isLoud) {
    if (!isLoud) return Math.round(Math.min(value, 1) * MOST);
    const above = ((20 * Math.log10(value)) / BOOST) * (MOST - FULL);
    return Math.round(value <= 1 ? value * FULL : Math.min(MOST, FULL + above));
  }

  /** A volume as a command takes it: above full volume only in decibels. */
  function spelled(value) {
    return value > 1 ? `+${(20 * Math.log10(value)).toFixed(2)}dB` : value;
  }

  function slider(input, output, key, isLoud, command, hasEffect = () => true) {
    let isHeld = false, isFlying = false, wanted = null, timer = 0;

    function describe(value) {
      input.style.setProperty("--share", `${input.value / 10}%`);
      const text = Words.volume(value);
      write(output, text);
      attribute(input, "aria-valuetext", text.replace("%", "percent").replace("dB", "decibels"));
    }

    function draw() {
      input.disabled = !Store.isOpen() || !Store.can("volume") || !hasEffect();
      if (isHeld || isFlying) return;
      const value = Store.status?.[key] ?? 1;
      input.value = position(value, isLoud);
      describe(value);
    }

    async function send() {
      if (isFlying) return;
      isFlying = true;
      while (wanted !== null) {
        const value = wanted;
        wanted = null;
        const isQuiet = (reply) => reply.code === "noEffect" || wanted !== null;
        const reply = await Commands.send(command(value), { isQuiet });
        if (reply?.ok) Store.status[key] = value;
      }
      isFlying = false;
      draw();
    }

    function release() {
      isHeld = false;
      clearTimeout(timer);
      draw();
    }

    input.addEventListener("input", () => {
      isHeld = true;
      clearTimeout(timer);
      // Keys have no end of their own.
      timer = setTimeout(release, 1500);
      wanted = Math.round(level(Number(input.value), isLoud) * 1000) / 1000;
      describe(wanted);
      send();
    });
    input.addEventListener("change", release);
    return draw;
  }

  /** Until a voice plays, the player refuses a volume for it. */
  const hasVoice = () => [Store.status?.overlays, Store.status?.pausedOverlays].some((titles) => titles?.length);

  const draws = [
    slider(ui.volumeAll, ui.volumeAllText, "volumeTarget", false, (to) => ({ do: "volume", to })),
    slider(ui.volumeMusic, ui.volumeMusicText, "musicVolume", true, (to) =>
      ({ do: "music", op: "volume", to: spelled(to) })),
    slider(ui.volumeVoice, ui.volumeVoiceText, "overlayVolume", true, (to) =>
      ({ do: "overlay", op: "volume", to: spelled(to) }), hasVoice),
  ];

  function nudge(by) {
    if (ui.volumeAll.disabled) return;
    ui.volumeAll.value = Number(ui.volumeAll.value) + by * MOST;
    ui.volumeAll.dispatchEvent(new Event("input"));
  }

  return { draw() { for (const draw of draws) draw(); }, nudge };
})();
