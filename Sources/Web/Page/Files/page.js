"use strict";

(() => {
  function screen() {
    if (!API.hasToken()) return "pairing";
    if (!Store.status || !Store.access) return "wait";
    const hasList = Store.access === "control" && Boolean(Store.sessions?.length);
    if (Store.isPlaying()) return Store.listOpen && hasList ? "library" : "player";
    return hasList ? "library" : "wait";
  }

  function waiting() {
    if (!Store.status && Store.link === "lost") return ["Not connected", "The player does not answer. Trying again."];
    if (!Store.status) return ["prosper", "Connecting to the player."];
    if (Store.ended) return [Store.ended.title, Store.ended.text];
    return ["Nothing plays", "The next session appears here when it starts."];
  }

  function draw() {
    const wanted = screen(), isNew = wanted !== Store.screen;
    Store.screen = wanted;
    attribute(document.body, "data-screen", wanted);
    document.body.classList.toggle("viewer", Store.access === "view");
    const name = Store.isPlaying() && Store.status.title ? `${Store.status.title} – prosper` : "prosper";
    if (document.title !== name) document.title = name;
    Question.draw();
    Settings.draw();
    Player.draw();
    if (wanted === "wait") {
      const [title, text] = waiting();
      write(ui.waitTitle, title);
      write(ui.waitText, text);
    } else if (wanted === "library") {
      Library.draw();
    } else if (wanted === "player") {
      Caption.draw();
      Sliders.draw();
      if (isNew) Picture.redraw(); else Timeline.draw();
    }
    Media.draw();
  }

  Store.watch(draw);
  API.read();
  addEventListener("hashchange", () => { API.read(); Stream.connect(); });
  if (API.hasToken()) draw(); else Pairing.open();
  Stream.begin();
})();
