"""A broker, and a browser that shows its lab."""

import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.broker_process import BrokerProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

    from tests.browser.lab import Lab

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

Open = Callable[..., "Lab"]


@pytest.fixture(scope="module")  # no longer: while one is there, no other can be
def browser() -> "Iterator[Browser]":
    api = pytest.importorskip("playwright.sync_api", reason="playwright isn't installed")
    if CHROMIUM is None:
        pytest.skip("chromium isn't installed")
    with api.sync_playwright() as playwright:
        # root, as in a container, has no sandbox
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    with BrokerProcess(tmp_path_factory.mktemp("data")) as broker:
        yield broker


@pytest.fixture
def open_lab(browser: "Browser", broker: BrokerProcess, tmp_path: Path) -> Iterator[Open]:
    """Return what opens the lab at a hash, in a browser of a width, theme and language."""
    from tests.browser.lab import Lab

    contexts: list[BrowserContext] = []
    labs: list[Lab] = []

    def open_lab(
        hash_: str = "", *, width: int = 1280, height: int = 860, theme: str = "light",
        language: str = "en-GB", motion: str = "reduce", user: str = "guest",
    ) -> "Lab":  # fmt: skip
        token = b64encode(f"{user}:{user}".encode()).decode()
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="reduce" if motion == "reduce" else "no-preference",
            locale=language,
            # said at once: where a browser is asked first, each request goes through the test
            extra_http_headers={"authorization": f"Basic {token}"},
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        lab = Lab(context, f"http://127.0.0.1:{broker.http_port}", tmp_path)
        labs.append(lab)
        lab.go(hash_)
        return lab

    yield open_lab
    for lab in labs:
        lab.check_quiet()
    for context in contexts:
        context.close()
