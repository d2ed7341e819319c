"""The space-time diagram as a browser draws it."""

import pytest

from tests.browser.conftest import Open

FIGURE = "#/s/fig-11-2?step=run&x=time&t=8.4"

NAMES = "[...document.querySelectorAll('.dia-space [role=button]')].map((mark) => mark.ariaLabel)"

OPACITIES = """() => Object.fromEntries(
  [...document.querySelectorAll(".dia-space .layer.bar > .mark[role=button]")]
    .map((mark) => [mark.ariaLabel, Number(getComputedStyle(mark).opacity)]))"""

COVERED = """() => {
  const rect = (element) => element.getBoundingClientRect();
  const words = [...document.querySelectorAll(".dia-space .words text")];
  const bars = [...document.querySelectorAll(".dia-space .layer.bar .mark .body")];
  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1
    || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;
  const sameLabel = (a, b) => a.parentNode === b.parentNode;
  return words.flatMap((one, k) => [...words.slice(k + 1), ...bars]
    .filter((other) => !sameLabel(one, other) && !apart(rect(one), rect(other)))
    .map((other) => `${one.textContent} on ${other.textContent || other.parentNode.ariaLabel}`));
}"""

TOO_WIDE = """() => [...document.querySelectorAll(".dia-space .mark")].flatMap((mark) => {
  const body = mark.querySelector(".body");
  const text = mark.querySelector("text.inside");
  if (!body || !text) return [];
  const [room, taken] = [body.getBoundingClientRect(), text.getBoundingClientRect()];
  const along = text.hasAttribute("transform") ? "height" : "width"; // turned where time goes down
  return taken[along] > room[along] + 1 ? [text.textContent] : [];
})"""

OWN_VIEWER = """async ({ events, mode }) => {
  const { createStore } = await import("/lab/trace.js");
  const { createViewer } = await import("/lab/viewer.js");
  const host = document.createElement("div");
  host.id = "own";
  document.body.append(host);
  const store = createStore({ mode, tick_us: 1_000_000, queues: [] });
  const text = (key, slots = {}) => [key, ...Object.values(slots)].join(" ");
  const viewer = createViewer(host, { text });
  viewer.setTrace(store);
  store.add(events);
  window.own = { store, viewer };
}"""

FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def message(n: int, t: int, type_: str, k: int, **more: object) -> dict[str, object]:
    return {"n": n, "t": t, "type": type_, "m": f"m{k}", "id": k, "q": "q", "s": k} | more


def test_each_mark_says_in_a_sentence_what_it_is(open_lab: Open) -> None:
    lab = open_lab(FIGURE)
    names = lab.ask(NAMES)
    assert "c2 works on m3, attempt 1, t=2.0 to 3.4, lost" in names
    assert "m3 is back in q, t=3.4 to 4.8, then handed out" in names
    assert (
        "c1 works on m3, attempt 2, t=4.8 to 6.6, acknowledged; "
        "out of order: m4 overtook it, 1.8 late"
    ) in names
    assert sum(name.startswith("p1 publishes") for name in names) == 5
    assert lab.ask("document.querySelectorAll('.dia-space [tabindex=\"0\"]').length") == 1


def test_arrow_keys_go_along_time_and_over_lanes(open_lab: Open) -> None:
    lab = open_lab(FIGURE)
    lab.page.locator(".dia-space [tabindex='0']").focus()
    lab.keys("Home", "n")
    lab.until("document.activeElement.ariaLabel === 'm3 is back in q since t=3.4'")
    assert "m3 goes back into q: connection lost" in lab.text(".dia-said")
    lab.keys("ArrowDown")
    assert lab.focused() == "c1 works on m4, attempt 1, since t=3.0"
    lab.keys("Enter")
    lab.until("location.hash.includes('sel=m4')")
    lab.keys("Escape")
    lab.until("!location.hash.includes('sel=')")
    lab.keys("ArrowLeft", "ArrowLeft")
    lab.until("document.activeElement.closest('.dia-space') !== null")


def test_what_is_selected_stands_out(open_lab: Open) -> None:
    lab = open_lab(FIGURE)
    lab.page.get_by_role("button", name="c2 works on m3").click()
    lab.until("document.querySelector('.dia-space.selecting') !== null")
    opacities = lab.page.evaluate(OPACITIES)
    assert {round(value, 2) for name, value in opacities.items() if "m3" in name} == {1}
    assert {round(value, 2) for name, value in opacities.items() if "m3" not in name} == {0.35}


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
@pytest.mark.parametrize("scenario", ["fig-11-2", "silent-death", "lost-ack", "sac-cancel"])
def test_no_words_lie_on_others_nor_on_bars(open_lab: Open, scenario: str, language: str) -> None:
    lab = open_lab(f"#/s/{scenario}?step=run&x=time&t=99", width=1280, language=language)
    for width in (1280, 768, 320):
        lab.widen(width)
        assert lab.page.evaluate(COVERED) == [], width
        assert lab.page.evaluate(TOO_WIDE) == [], width


def test_hostile_names_are_text(open_lab: Open) -> None:
    lab = open_lab()
    bad = "<img src=x onerror=alert(1)>"
    events = [
        {"n": 1, "t": 0, "type": "published", "m": bad, "id": 1, "p": bad},
        {"n": 2, "t": 0, "type": "enqueued", "m": bad, "id": 1, "q": bad, "s": 1},
        {"n": 3, "t": 9, "type": "delivered", "m": bad, "id": 1, "q": bad, "s": 1, "c": bad},
        {"n": 4, "t": 9, "type": "fault", "c": bad, "text": bad, "cause": bad},
    ]
    lab.page.evaluate(OWN_VIEWER, {"events": events, "mode": "imported"})
    lab.page.evaluate(FRAMES)
    assert lab.ask("document.querySelectorAll('#own img').length") == 0
    assert lab.ask("document.querySelectorAll('#own .dia-space text').length") > 4


def test_a_live_trace_costs_what_is_in_sight(open_lab: Open) -> None:
    lab = open_lab()
    lab.page.evaluate(OWN_VIEWER, {"events": [], "mode": "live"})
    drawn = lab.page.evaluate(
        f"""async () => {{
          const {{ store, viewer }} = window.own;
          viewer.setFollow(true);
          let [paints, n] = [0, 0];
          const paint = viewer.paint.bind(viewer);
          viewer.paint = () => {{ paints += 1; paint(); }};
          for (let batch = 0; batch < 300; batch++) {{
            const events = [];
            for (let k = 0; k < 25; k++) {{
              const id = batch * 25 + k + 1;
              const t = id * 500;
              const about = {{ t, m: `m${{id}}`, id, q: "q", s: id }};
              events.push({{ ...about, n: ++n, type: "published", p: "p1" }},
                {{ ...about, n: ++n, type: "enqueued" }},
                {{ ...about, n: ++n, type: "delivered", c: "c1" }},
                {{ ...about, n: ++n, type: "acked", c: "c1", t: t + 400 }});
            }}
            store.add(events);
          }}
          const before = paints;
          await {FRAMES};
          viewer.schedule();
          await {FRAMES};
          const marks = document.querySelectorAll("#own .dia-space .mark").length;
          return {{ before, paints, marks, kept: store.events.length, left: store.left }};
        }}"""
    )
    assert drawn["before"] == 0  # never while events come in, only when there is a frame
    assert 1 <= drawn["paints"] <= 5
    assert drawn["marks"] < 100
    assert drawn["kept"] <= 22_000
    assert drawn["kept"] + drawn["left"] == 30_000


def test_a_picture_stands_on_its_own(open_lab: Open) -> None:
    lab = open_lab()
    events = [
        {"n": 1, "t": 0, "type": "published", "m": "m1", "id": 1, "p": "p1"},
        message(2, 0, "enqueued", 1),
        message(3, 0, "delivered", 1, c="c1", attempt=1),
        message(4, 10, "requeued", 1, c="c1", cause="nack_requeue"),
        message(5, 20, "delivered", 1, c="c1", attempt=2, redelivered=True),
        message(6, 30, "acked", 1, c="c1"),
    ]
    lab.page.evaluate(OWN_VIEWER, {"events": events, "mode": "exact"})
    picture = lab.page.evaluate(
        "new XMLSerializer().serializeToString(window.own.viewer.picture())"
    )
    assert picture.startswith("<svg")
    assert "class=" not in picture
    assert "var(" not in picture
    assert "-hatch)" in picture
    assert "-dots)" in picture
    assert 'font-family="' in picture
