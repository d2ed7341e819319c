"""The lab in a browser: going about it, and what must never happen while one does."""

from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

BROKEN = """
window.broken = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.broken.push(`${event.violatedDirective} ${event.blockedURI}`));
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longTasks.push([task.startTime, task.duration]);
}).observe({ type: "longtask", buffered: true });
"""

FRAMES = """() => new Promise((done) => {
  const wait = (n) => requestAnimationFrame(() => (n > 1 ? wait(n - 1) : done()));
  wait(4); // one in which the change is seen, one in which it is drawn; and as many again
})"""


class Lab:
    """A page with the lab.

    Attributes:
        page: it.
        origin: of the broker; nothing else may be asked for anything.
    """

    def __init__(self, context: BrowserContext, origin: str, folder: Path) -> None:
        self.page: Page = context.new_page()
        self.origin = origin
        self.folder = folder
        self.faults: list[str] = []
        self.page.add_init_script(BROKEN)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._said)
        context.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        expected = "Failed to load resource" in message.text  # told again where it matters
        if message.type == "error" and not expected:
            self.faults.append(message.text)

    def _asked(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme in {"http", "https", "ws"} and f"{url.scheme}://{url.netloc}" != self.origin:
            self.faults.append(f"asked {request.url}")

    def go(self, hash_: str) -> None:
        """Open a place, and wait until it is there."""
        self.page.goto(f"{self.origin}/lab{hash_}")
        self.settle()

    def settle(self) -> None:
        """Wait for a heading, and for a diagram where there is to be one."""
        self.page.wait_for_selector("h1")
        self.until(
            "!document.querySelector('p.waiting, [aria-busy=true]') && "
            "(!document.querySelector('.stage:not([hidden])')"
            " || Boolean(document.querySelector('.dia svg')))"
        )

    def widen(self, width: int) -> None:
        """Make the window so wide, and wait until what depends on it is drawn anew."""
        self.page.set_viewport_size({"width": width, "height": 860})
        self.until(f"innerWidth === {width}")
        self.page.evaluate(FRAMES)

    def until(self, script: str, within_s: float = 15) -> None:
        """Wait until a script says true; asked from outside, for the policy allows no `eval`."""
        deadline = monotonic() + within_s
        while not self.ask(script):
            assert monotonic() < deadline, f"it never came true: {script}"
            self.page.wait_for_timeout(50)

    def keys(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            self.page.keyboard.press(name)

    def focus_on(self, name: str, *, most: int = 80) -> None:
        """Press Tab until what has the focus is called `name`."""
        for _ in range(most):
            if self.focused() == name:
                return
            self.keys("Tab")
        raise AssertionError(f"no way by Tab to '{name}', but to '{self.focused()}'")

    def focused(self) -> str:
        """Return the name of what has the focus."""
        name: str = self.page.evaluate(
            "(({ labels, textContent, ariaLabel }) =>"
            " (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim())"
            "(document.activeElement)"
        )
        return name

    def address(self) -> str:
        """Return what the address says behind its `#`, once it has been written."""
        self.page.wait_for_timeout(250)  # it is gathered before it is written
        return urlsplit(self.page.url).fragment

    def text(self, selector: str) -> str:
        """Return the words there."""
        return " ".join(self.page.inner_text(selector).split())

    def ask(self, script: str) -> Any:
        """Return what a script says, run in the page."""
        return self.page.evaluate(script)

    def check_quiet(self) -> None:
        """Check that nothing broke, that the policy held, and that nobody else was asked."""
        assert self.ask("window.broken") == []
        assert self.faults == []
