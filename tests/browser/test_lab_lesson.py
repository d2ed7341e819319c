"""A scenario: its address, its knobs, and its play with real clients."""

from tests.browser.conftest import Open


def test_the_address_has_all_that_is_shown(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=3.4&sel=m3&x=time&prefetch=2")
    assert lab.text(".inspector h2") == "m3"
    assert lab.text(".dia-clock") == "t=3.4"
    pressed = lab.page.locator(".switches [aria-pressed=true]").all_inner_texts()
    assert pressed == ["time"]
    assert lab.page.locator("#knob-prefetch").input_value() == "2"
    lab.page.reload()
    lab.settle()
    assert lab.text(".dia-clock") == "t=3.4"


def test_a_step_back_is_a_step_back(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2")
    lab.page.locator(".steps a").nth(1).click()
    lab.settle()
    lab.page.locator(".steps a").nth(2).click()
    lab.page.wait_for_selector(".whys")
    lab.page.go_back()
    lab.page.wait_for_selector(".faults")
    lab.page.go_back()
    lab.page.wait_for_selector(".boxes")


def test_boxes_are_dragged(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2")
    third, fifth = (lab.page.locator(".boxes .box").nth(at).bounding_box() for at in (2, 4))
    assert third is not None
    assert fifth is not None
    lab.page.mouse.move(third["x"] + 20, third["y"] + 20)
    lab.page.mouse.down()
    lab.page.mouse.move(fifth["x"] + 20, fifth["y"] + 25, steps=12)
    lab.page.mouse.up()
    order = "[...document.querySelectorAll('.box')].map((box) => box.textContent)"
    assert lab.ask(order) == ["m1", "m2", "m4", "m5", "m3"]
    assert "guess=1.2.4.5.3" in lab.address()
    lab.page.get_by_role("button", name="Run it").click()
    lab.settle()
    lab.keys("w")
    lab.page.wait_for_selector(".outcome")
    assert "One pair of messages stands the other way round." in lab.text(".outcome")


def test_a_mark_and_its_sentence_are_selected_together(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=why")
    lab.page.locator(".clause").nth(1).click()
    lab.page.wait_for_selector(".inspector.pinned")
    assert "connection lost" in lab.text(".inspector h2")
    lab.keys("l")
    assert "connection lost" in lab.text(".events .chosen")
    lab.keys("Escape")
    assert lab.page.locator(".inspector.pinned").count() == 0


def test_real_clients_come_to_the_same(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&mode=real")
    lab.until("!document.querySelector('.running') && document.querySelector('.headline')", 30)
    assert lab.text(".headline").startswith("Inversions 1 Messages moved 1")


def test_a_fault_strikes_at_the_press_of_a_key(open_lab: Open) -> None:
    lab = open_lab("#/s/no-fault?step=run&mode=real")
    lab.page.wait_for_selector(".faults .button:enabled")
    lab.page.select_option(".faults select", "c1")
    lab.page.locator("h1").click()
    lab.keys("1")
    lab.until("document.querySelector('.faults [role=status]').textContent !== ''")
    assert lab.text(".faults [role=status]") == "Crash consumer: c1"
    lab.until("!document.querySelector('.running')", 30)
    assert lab.page.locator(".dia-space .crash").count() >= 1


def test_an_address_may_name_another_scenario_beside_it(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?prefetch=2&cmp=fix-single-active&sel=m3")
    lab.page.wait_for_selector(".deltas")
    assert lab.address().startswith("/compare?a=s%2Ffig-11-2%3Fprefetch%3D2&b=s%2Ffix-single")
    assert "sel=m3" in lab.address()
    assert "Prefetch of both consumers: 2" in lab.text(".twin")


def test_a_variants_settings_are_on_the_knobs(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=fix&variant=late-detection")
    lab.page.wait_for_selector(".variants")
    assert lab.text(".variants [aria-current]") == "The death is noticed 6 ticks later"
    assert lab.page.locator("#knob-detect").input_value() == "6"
    assert lab.text(".headline").startswith("Inversions 2")


def test_another_policy_is_worked_out(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=fix")
    lab.page.get_by_role("button", name="Compare the usual policies").click()
    lab.page.wait_for_selector(".policies")
    assert "all 5 messages were done in the order they were" in lab.text(".answers")
    rows = {
        row.locator("th").inner_text(): row.locator("td").first.inner_text()
        for row in lab.page.locator(".policies tbody tr").all()
    }
    assert rows["as recorded"] == "1"
    assert rows["single active consumer"] == "0"
    assert not any("1 → 1" in label for label in rows)
    lab.page.get_by_role("button", name="Side by side: single active consumer").click()
    lab.page.wait_for_selector(".deltas")
    badges = lab.page.locator(".twin .badge").all_inner_texts()
    assert badges == ["SCENARIO real broker", "SIMULATED"]


def test_a_run_is_forked_where_it_stands(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=3")
    lab.keys("f")
    lab.page.wait_for_selector(".policy")
    lab.until("document.activeElement.id === 'whatif-prefetch'")
    assert lab.page.locator("#whatif-fork").is_checked()
    lab.page.locator("#whatif-single_active").check()
    lab.page.get_by_role("button", name="Simulate").click()
    lab.page.wait_for_selector(".deltas")
    simulated = lab.ask("new URLSearchParams(location.hash.split('?')[1]).get('b')")
    lab.page.evaluate(f"location.hash = '#/{simulated}'")
    lab.page.wait_for_selector(".assumed")
    assert "Up to t=3.0 all is as it was recorded" in lab.text(".assumed")
    assert lab.page.locator(".simulated").count() == 1
