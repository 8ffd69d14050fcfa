"use strict";

/** Keys, as in a terminal. They can be switched off, because some people dictate. */
(() => {
  const KEY = "prosper.keys";
  const keys = {
    " ": ["Space", "pauses and resumes", ui.pause],
    n: ["n", "next track", ui.following], p: ["p", "previous track", ui.previous],
    s: ["s", "next stage", ui.stageNext], S: ["S", "previous stage", ui.stageBack],
    ArrowLeft: ["←", "back 15 seconds", ui.back], ArrowRight: ["→", "forward 15 seconds", ui.forward],
    "+": ["+", "louder", 0.05], "-": ["−", "softer", -0.05],
    g: ["g", "rings the bell", ui.bell],
    e: ["e", "five minutes more", ui.extend], E: ["E", "five minutes less", ui.shorten],
    "?": ["?", "shows these keys", ui.keysOpen],
  };

  document.addEventListener("keydown", (event) => {
    const { key, target } = event, found = Object.hasOwn(keys, key) ? keys[key][2] : null;
    if (!found || event.ctrlKey || event.metaKey || event.altKey || (event.repeat && found.click)) return;
    if (Store.screen !== "player" || Store.access !== "control" || document.querySelector("dialog[open]")) return;
    if (!ui.keysOn.checked && key !== "?") return;
    // An element in focus that needs the key itself.
    if (target.closest("input") || (key === " " && target.closest("button"))) return;
    event.preventDefault();
    if (found.click) found.click(); else Sliders.nudge(found);
  });

  try { ui.keysOn.checked = localStorage.getItem(KEY) !== "off"; } catch { /* no storage */ }
  ui.keysOn.addEventListener("change", () => {
    try { localStorage.setItem(KEY, ui.keysOn.checked ? "on" : "off"); } catch { /* no storage */ }
  });
  press(ui.keysOpen, () => ui.keys.showModal());
  press(ui.keysClose, () => ui.keys.close());
  for (const [name, effect] of Object.values(keys))
    ui.keysList.append(create("dt", "", name), create("dd", "", effect));
})();
