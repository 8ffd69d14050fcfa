"""A session that ends under the finger, or because nobody can hear it."""

import contextlib
import pathlib
import subprocess
import tempfile
import time

from box import LOVING, PLAYLIST, ROOT, TWO_STAGES, Box
from phone import Phone


def ask(phone, name):
    """Opens a question of the player, and remembers it as long as the page does not close it."""
    if name == "end":
        phone.press("end")
    else:
        phone.page.locator("#stageList button").last.click()
    phone.page.wait_for_selector("#question[open]")


def test_question_of_another_session(browser, box):
    """A question goes with its session; its answer never meets the next one."""
    for name in ("end", "stage"):
        box.play()
        phone = Phone(browser, box, box.token).ready()
        ask(phone, name)
        box.play(PLAYLIST)
        phone.wait("!document.getElementById('question').open", 3)
        phone.ready()
        phone.shows("title", "Short playlist")
        ask(phone, name)
        box.end()
        phone.wait("!document.getElementById('question').open", 3)
        phone.close(allowed=["404"])


def test_question_without_connection(browser, box):
    box.play()
    phone = Phone(browser, box, box.token).ready()
    ask(phone, "end")
    phone.context.set_offline(True)
    phone.wait("ui.questionYes.getAttribute('aria-disabled') === 'true'")
    box.play()
    phone.context.set_offline(False)
    phone.wait("!document.getElementById('question').open")
    phone.close(allowed=["ERR_", "404"])


def test_question_of_a_lost_stage(browser, box):
    """The file is read again, and the stage is not in it any more."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sit.yaml"
        file.write_text(TWO_STAGES, encoding="utf-8")
        own = Box(folders=[folder])
        try:
            own.play(str(file))
            phone = Phone(browser, own, own.token).ready()
            ask(phone, "stage")
            file.write_text(TWO_STAGES.replace("Two", "Three"), encoding="utf-8")
            assert own.command(do="reload")["ok"]
            phone.wait("!document.getElementById('question').open", 3)
            phone.close()
        finally:
            own.stop()


def test_no_output(browser, box):
    """Without a sound server nothing is heard: the list says why, and offers to try again."""
    own = Box(server="unix:/nonexistent/native")
    try:
        phone = Phone(browser, own, own.token).screen("library")
        phone.page.locator(".session", has_text="Loving").click()
        for _ in range(2):
            phone.shows("libraryTitle", "The session did not start")
            phone.shows("libraryText", "“Loving-kindness, 25 minutes” was not heard: no sound server answers")
            time.sleep(1)
            assert "is over" not in phone.text("libraryText") and phone.page.locator(".message").count() == 0
            phone.axe("no output")
            phone.picture("no-output")
            phone.press("libraryAgain")
            phone.wait("Store.starting")
        phone.close(allowed=["404"])
    finally:
        own.stop()


@contextlib.contextmanager
def sound_server():
    """A sound server of its own; yields its address and its process."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [ROOT / "scripts/pulse-server", "--socket", f"{folder}/native"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE) as server:
            try:
                server.stdout.readline()
                yield f"unix:{folder}/native", server
            finally:
                server.terminate()


def test_output_lost(browser, box):
    """The sound server goes while a session plays, and does not come back."""
    with sound_server() as (address, server):
        own = Box("--give-up-after", "2s", server=address)
        try:
            own.play(LOVING)
            phone = Phone(browser, own, own.token).ready()
            server.terminate()
            phone.shows("conditionText", "No sound output")
            phone.shows("libraryTitle", "The session broke off")
            phone.shows("libraryText", "“Loving-kindness, 25 minutes” broke off after 0:0")
            time.sleep(1)
            assert "is over" not in phone.text("libraryText") and not phone.page.locator("#libraryAgain").is_visible()
            print(f"    {phone.text('libraryText')}")
            phone.page.wait_for_selector(".interrupted")  # "Continue at" is the way to try it again
            phone.close(allowed=["404"])
        finally:
            own.stop()
