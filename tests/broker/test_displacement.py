from amqplite.broker.displacement import Displacements


def test_early_and_late_are_told_apart_but_weigh_the_same() -> None:
    displacements = Displacements()
    displacements.add(0, 3)
    displacements.add(1)
    displacements.add(-1)
    assert displacements.histogram() == {-1: 1, 0: 3, 1: 1}
    assert (displacements.n, displacements.largest, displacements.mean) == (5, 1, 0.4)


def test_the_histogram_ends_but_the_numbers_are_exact() -> None:
    displacements = Displacements()
    displacements.add(5_000)
    displacements.add(-300)
    assert displacements.histogram() == {-256: 1, 256: 1}
    assert (displacements.largest, displacements.total) == (5_000, 5_300)


def test_more_are_added_to_a_copy() -> None:
    displacements = Displacements()
    displacements.add(2)
    assert displacements.with_more([-4]).histogram() == {-4: 1, 2: 1}
    assert displacements.histogram() == {2: 1}


def test_nothing_is_displaced_by_nothing() -> None:
    assert Displacements().mean == 0.0
