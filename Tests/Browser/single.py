"""A player with a page for one session: `play --web` and `sit --web`."""

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import tempfile

from box import LOVING, ROOT, Box
from phone import Phone


class Single:
    """A player that ends with its session."""

    def __init__(self, words, folder, server):
        program = os.environ.get("PROSPER", str(ROOT / ".build/debug/prosper"))
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_RUNTIME_DIR": folder, "PULSE_SERVER": server}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url, self.said = f"http://{address}", pathlib.Path(folder, "said.txt")
        with open(self.said, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen([program, *words, "--no-mpris", "--events", "text", f"--web={address}"],
                                            env=environment, stdout=file, stderr=file)
        links = pathlib.Path(folder, ".local/state/prosper/page-links")
        Box.until(lambda: re.search("with the code", self.said.read_text(encoding="utf-8")), 20)
        self.token = links.read_text(encoding="utf-8").split()[0]

    def command(self, **command):
        return Box.request(self, "/api/command", command)

    def status(self):
        return Box.request(self, "/api/status")["status"]


@contextlib.contextmanager
def single(*words):
    with tempfile.TemporaryDirectory(prefix="prosper-page-") as folder:
        player = Single(words, folder, os.environ["PULSE_SERVER"])
        try:
            yield player
        finally:
            player.process.kill()
            player.process.wait()


def test_open_sit(browser, box):
    """A sit without an end shows the time that has passed, and no other one."""
    with single("sit", "open") as player:
        phone = Phone(browser, player, player.token).ready()
        phone.shows("elapsed", "0:02")
        phone.shows("remaining", "open")
        assert " of " not in phone.page.get_attribute("#plan", "aria-valuetext")
        phone.page.locator("#stageList button").nth(1).click()
        phone.shows("questionText", "It begins when the open stage ends.")
        phone.press("questionNo")
        phone.press("stageNext")
        phone.shows("stage", "End")
        phone.message("Moved to “End”.")
        phone.wait("1 < Plan.place().time - Plan.place().entry.begin")
        assert float(phone.text("elapsed").replace("0:", "")) < 30, phone.text("elapsed")
        phone.close()


def test_single_ends(browser, box):
    """The player goes with its session: that is no lost connection. The time is that which was played."""
    with single("play", LOVING) as player:
        phone = Phone(browser, player, player.token).ready()
        player.command(do="goto", stage="Closing", at=100)
        phone.shows("stage", "Closing")
        player.command(do="finish", fade="0.5s")
        phone.screen("wait")
        phone.shows("waitTitle", "The session has ended")
        phone.shows("waitText", "“Loving-kindness, 25 minutes” is over. 0:")
        player.process.wait()
        phone.wait("Store.link === 'lost'")
        phone.shows("conditionText", "Ended")
        assert "Not connected" not in phone.text("live")
        said = re.search(r"[0-9:]+ played", player.said.read_text(encoding="utf-8"))[0]
        assert said in phone.text("waitText"), (said, phone.text("waitText"))
        phone.axe("single ended")
        phone.picture("single-ended-360")
        phone.close(allowed=["ERR_"])
