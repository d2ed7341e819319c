"""Takes the pictures anew, of a broker that is started for that."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.broker_process import BrokerProcess
from tests.browser.conftest import CHROMIUM
from tests.browser.lab import Lab

FOLDER = Path(__file__).parent
PLACE = "#/s/fig-11-2?step=run&x=time&sel=m3"
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}


def main() -> None:
    """Take a picture of figure 11-2 in each language."""
    with (
        tempfile.TemporaryDirectory() as folder,
        BrokerProcess(Path(folder)) as broker,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, locale in LANGUAGES.items():
            context = browser.new_context(
                viewport={"width": 1280, "height": 1000},
                locale=locale,
                reduced_motion="reduce",
                http_credentials={"username": "guest", "password": "guest"},
            )
            lab = Lab(context, f"http://127.0.0.1:{broker.http_port}", Path(folder))
            lab.go(PLACE)
            lab.keys("End")
            lab.settle()
            lab.page.screenshot(path=FOLDER / f"fig-11-2.{name}.png")
            context.close()
        browser.close()


main()
