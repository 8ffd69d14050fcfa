"""A browser with the page."""

import json
import os
import pathlib
import time

PICTURES = os.environ.get("PROSPER_PICTURES")  # a folder for pictures; none are made without it


def axe_source():
    """axe-core, as it is in the package axe-playwright-python."""
    from axe_playwright_python import base
    return (pathlib.Path(base.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


AXE = axe_source()

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI));
"""


class Phone:
    """A browser with the page."""

    open = []

    def __init__(self, browser, box, token="", width=360, height=740, scheme="light", **options):
        self.box = box
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **options)
        self.context.add_init_script(WATCH)
        Phone.open.append(self)
        self.page = self.context.new_page()
        self.faults, self.requests = [], []
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.faults.append(m.text))
        self.page.on("pageerror", lambda e: self.faults.append(f"{e} {e.stack}"))
        self.page.on("request", lambda r: self.requests.append((r.method, r.url.replace(box.url, ""))))
        self.page.goto(f"{box.url}/" + (f"#{token}" if token else ""))

    def answer(self, name, reply):
        """Answers the first command of a name in place of the player, a moment later."""
        self.answered = False

        def handle(route):
            if self.answered or json.loads(route.request.post_data)["do"] != name:
                return route.continue_()
            self.answered = True
            time.sleep(0.3)
            return route.fulfill(json=reply, headers={"Prosper-Access": "control"})

        self.page.route("**/api/command", handle)

    def close(self, allowed=()):
        violations = self.page.evaluate("window.violations")
        self.context.close()
        assert not violations, violations
        left = [fault for fault in self.faults if not any(word in fault for word in allowed)]
        assert not left, left

    def wait(self, condition, seconds=10, arg=None):
        """Waits for an expression of the page. `wait_for_function` needs an evaluation that the page's policy forbids."""
        end = time.time() + seconds
        while not self.page.evaluate(condition, arg):
            assert time.time() < end, f"within {seconds} s: {condition} {arg or ''}"
            time.sleep(0.03)

    def screen(self, name, seconds=10):
        self.wait("n => document.body.dataset.screen === n", seconds, name)
        return self

    def ready(self):
        self.screen("player")
        self.wait("document.querySelectorAll('#planPicture > *').length > 0", 30)
        self.wait("!document.getElementById('pause').hasAttribute('aria-disabled')")
        return self

    def text(self, name):
        return self.page.evaluate("n => document.getElementById(n).textContent", name)

    def shows(self, name, text, seconds=6):
        self.wait("([n, t]) => document.getElementById(n).textContent.includes(t)", seconds, [name, text])

    def message(self, text, seconds=6):
        self.shows("messages", text, seconds)

    def press(self, name):
        self.page.locator(f"#{name}").click()

    def axe(self, where):
        self.page.evaluate(AXE)
        self.page.evaluate("scrollTo(0, 0)")
        result = self.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")
        found = [(v["id"], [n["html"][:120] for n in v["nodes"][:3]], v["nodes"][0].get("failureSummary", "")[:300])
                 for v in result["violations"]]
        assert not found, (where, found)

    def picture(self, name):
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.page.screenshot(path=os.path.join(PICTURES, f"{name}.png"), full_page=True)
