from amqplite.lab.analysis.message import Handout, Message, Moment, Place
from amqplite.lab.analysis.scopes import Across, Path, Recent, Settled, View


def place(number: int) -> Place:
    return Place(Message(number, f"m{number}"), ("/", "q"), number, number, Moment(number, 0))


def test_what_was_used_last_stays() -> None:
    made: list[str] = []

    def make(key: str) -> list[str]:
        made.append(key)
        return [key]

    recent = Recent(make, 2)
    first = recent["a"]
    recent["b"]
    assert recent["a"] is first
    recent["c"]
    assert sorted(recent) == ["a", "c"]
    recent["b"]
    assert made == ["a", "b", "c", "b"]


def test_settled_ones_are_remembered_while_something_before_them_is_awaited() -> None:
    settled = Settled()
    for number in (5, 2, 3):
        settled.add(number, place(number))
    assert [one.number for one in settled.among([2, 3, 4, 5])] == [2, 3, 5]
    settled.forget(3)
    assert [one.number for one in settled.among([2, 3, 4, 5])] == [5]
    settled.add(3, place(3))
    assert len(settled) == 1
    settled.forget(1_000_000_000)
    assert len(settled) == 0


def test_one_early_message_does_not_keep_those_that_come_in_order() -> None:
    settled = Settled()
    settled.add(1_000_000, place(1_000_000))
    for number in range(1, 1000):
        settled.add(number, place(number))
        settled.forget(number)
    assert len(settled) == 1


def test_numbers_of_others_are_not_awaited() -> None:
    across = Across()
    for number in (3, 8, 20):
        across.expect(number, 0)
    places = {number: place(number) for number in (3, 8, 20)}
    assert across.arrive(3, places[3], 10) is None
    assert across.arrive(20, places[20], 20) is None
    overtaken = across.arrive(8, places[8], 50)
    assert overtaken is not None
    assert (overtaken.arrival.inversions, overtaken.arrival.late) == (1, 30)
    assert overtaken.over == [places[20]]
    assert across.order.metrics("key", "k", "completion").buffer == 1


def test_what_is_gone_is_not_awaited_and_what_is_missing_may_come() -> None:
    across = Across()
    for number in (1, 2, 3, 4):
        across.expect(number, 0)
    across.gone(1, 0)
    across.missing(2, 0)
    assert across.arrive(3, place(3), 10) is None
    overtaken = across.arrive(2, place(2), 20)
    assert overtaken is not None
    assert [one.number for one in overtaken.over] == [3]


def test_a_path_goes_forward() -> None:
    path = Path()
    assert [path.steps_back(number) for number in (1, 3, 2, 4)] == [False, False, True, False]


def test_a_view_counts_every_step_back_and_measures_what_is_seen_for_the_first_time() -> None:
    view, places = View(), {number: place(number) for number in (1, 2, 3, 4)}
    for t, number in enumerate((1, 3, 1, 2, 4)):
        view.see(places[number], Handout(t, t, "c1", "", 0), 0)
    metrics = view.metrics("c1", ("/", "q"))
    assert (metrics.scope, metrics.name, metrics.at, metrics.q) == ("consumer", "c1", "view", "q")
    assert metrics.completion == ["m1", "m3", "m1", "m2", "m4"]
    assert metrics.backward == 2
    assert (metrics.n, metrics.inversions, metrics.reordered) == (4, 1, 1)
    assert (metrics.buffer, metrics.buffer_us) == (0, 0)


def test_a_view_waits_for_nothing_that_is_done_elsewhere() -> None:
    view = View()
    for number in range(2, 200, 2):
        view.see(place(number), Handout(number, number, "c1", "", 0), number - 1)
    metrics = view.metrics("c1", ("/", "q"))
    assert (metrics.inversions, metrics.disp_max, metrics.approximate) == (0, 0, False)
