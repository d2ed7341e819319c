"""Live: real clients, however fast."""

from tests.broker_process import BrokerProcess
from tests.browser.conftest import Open
from tests.browser.traffic import declare, traffic

LONGEST_TASK_MS = 600
"""On a busy machine; most are far below, and the page answers in between."""

BUSY_SHARE = 0.5
"""Of the time that long tasks may take together."""


def test_two_thousand_messages_a_second(broker: BrokerProcess, open_lab: Open) -> None:
    with traffic(broker, "fast", rate=2000, seconds=60):
        lab = open_lab("#/live/%2F/fast")
        # how many of these the clients manage is the machine's affair; far too many to be drawn
        lab.until(
            "Number(document.querySelector('.rate b')?.textContent.replace(',', '')) > 400", 30
        )
        lab.until("document.querySelector('.pulse .note') !== null")
        begin = lab.ask("performance.now()")
        lab.page.wait_for_timeout(5000)
        tasks = [ms for start, ms in lab.ask("window.longTasks") if start > begin]
        assert max(tasks, default=0) < LONGEST_TASK_MS
        assert sum(tasks) < 5000 * BUSY_SHARE
        assert "Anomalies only" in lab.text("[aria-pressed=true].button:not(.switches *)")
        lab.until("document.querySelectorAll('.dia-space .ring').length > 0", 20)

        # it is frozen at once, and goes on behind a chip
        lab.page.get_by_role("button", name="Freeze").click()
        lab.page.wait_for_selector(".chip", timeout=3000)
        lab.page.click(".chip")
        lab.page.wait_for_selector(".chip", state="detached")


def test_a_queue_without_consumers(broker: BrokerProcess, open_lab: Open) -> None:
    declare(broker, "lonely")
    lab = open_lab("#/live/%2F/lonely")
    lab.until("document.querySelector('.pulse').textContent.includes('no consumer is attached')")


def test_faults_need_the_queues_consent(broker: BrokerProcess, open_lab: Open) -> None:
    declare(broker, "guarded")
    lab = open_lab("#/live/%2F/guarded")
    lab.until("document.querySelector('.live-faults')?.textContent.includes('x-lab-faults')")
    assert lab.page.locator(".faults .button:enabled").count() == 0


def test_a_real_client_is_struck_once_that_is_sure(broker: BrokerProcess, open_lab: Open) -> None:
    with traffic(broker, "struck", rate=20, seconds=30):
        lab = open_lab("#/live/%2F/struck")
        lab.page.wait_for_selector(".faults .button:enabled")
        lab.page.get_by_role("button", name="Crash consumer").click()
        lab.page.wait_for_selector("dialog[open]")
        lab.page.get_by_role("button", name="Leave it").click()
        assert lab.text(".faults [role=status]") == ""
        lab.page.get_by_role("button", name="Crash consumer").click()
        lab.page.get_by_role("button", name="Strike").click()
        lab.until("document.querySelector('.faults [role=status]').textContent.includes('worker')")
        lab.until("document.querySelector('.dia-space .crash') !== null")


def test_what_was_seen_is_kept_as_a_run(broker: BrokerProcess, open_lab: Open) -> None:
    with traffic(broker, "kept", rate=20, seconds=30):
        lab = open_lab("#/live/%2F/kept")
        lab.until("document.querySelectorAll('.dia-space [data-key]').length > 10")
        lab.page.get_by_role("button", name="Keep as a run").click()
        lab.until("location.hash.startsWith('#/r/')")
        lab.page.wait_for_selector(".headline")
    assert "kept" in lab.text("h1")
    assert lab.text(".badge") == "RECORDED"


def test_a_broken_stream_is_told_and_tried_again(broker: BrokerProcess, open_lab: Open) -> None:
    declare(broker, "broken")
    lab = open_lab("#/live/%2F/broken")
    lab.until("document.querySelector('.pulse').textContent.includes('no consumer')")
    context = lab.page.context
    context.set_offline(True)
    # a stream that is open survives that; one that begins now does not
    lab.page.evaluate("location.hash = '#/live'")
    lab.page.wait_for_selector(".problem")
    assert "does not answer" in lab.text(".problem")
    context.set_offline(False)
    lab.page.get_by_role("button", name="Try again").click()
    lab.page.wait_for_selector("tbody a")


def test_pages_of_one_browser_share_a_stream(broker: BrokerProcess, open_lab: Open) -> None:
    with traffic(broker, "shared", rate=20, seconds=30):
        lab = open_lab("#/live/%2F/shared")
        lab.until("document.querySelectorAll('.dia-space [data-key]').length > 10")
        streams: list[str] = []
        second = lab.page.context.new_page()
        second.on("request", lambda request: streams.append(request.url))
        second.goto(lab.page.url)
        second.wait_for_selector(".dia-space [data-key^=b]", state="attached")
        assert not [url for url in streams if url.endswith("/stream")]
