from amqplite.lab.rerun.estimates import Estimates, Task
from amqplite.lab.rerun.inputs import Inputs, Work

ONE, TWO = ("/", "q", 1), ("/", "q", 2)
INPUTS = Inputs(
    works={
        ONE: [
            Work(us=40, outcome="cut", c="c1", line=0, effects=(30,)),
            Work(us=100, outcome="nack", c="c2", line=1),
            Work(us=60, outcome="ack", c="c2", line=1, effects=(60,)),
        ],
        TWO: [Work(us=500, outcome="open", c="c2", line=1)],
    }
)


def test_work_takes_as_long_as_it_took_time_after_time() -> None:
    estimates = Estimates(INPUTS)
    assert estimates.begin(ONE, "c1", 0, faults=True) == Task(us=None, outcome="cut", effects=(30,))
    assert estimates.begin(ONE, "c1", 2, faults=True) == Task(us=100, outcome="nack")
    assert estimates.begin(ONE, "c9", 3, faults=True) == Task(us=60, outcome="ack", effects=(60,))
    assert (estimates.measured, estimates.guessed.total()) == (3, 0)


def test_what_was_cut_short_takes_as_long_as_usual_where_it_is_not() -> None:
    elsewhere = Estimates(INPUTS).begin(ONE, "c2", 1, faults=True)
    assert elsewhere == Task(us=80, outcome="ack", effects=(30,), measured=False)
    spared = Estimates(INPUTS).begin(ONE, "c1", 0, faults=False)
    assert spared == Task(us=80, outcome="ack", effects=(30,), measured=False)


def test_without_faults_nothing_is_given_back() -> None:
    estimates = Estimates(INPUTS)
    estimates.begin(ONE, "c1", 0, faults=False)
    assert estimates.begin(ONE, "c1", 0, faults=False) == Task(us=100, outcome="ack")


def test_what_was_not_done_takes_at_least_as_long_as_it_had() -> None:
    estimates = Estimates(INPUTS)
    assert estimates.begin(TWO, "c2", 1, faults=True) == Task(us=500, outcome="ack", measured=False)
    assert estimates.begin(TWO, "c2", 1, faults=True).us == 80
    assert estimates.guessed == {"c2": 2}


def test_nobody_knows_how_long_anything_takes_where_nothing_was_done() -> None:
    assert Estimates(Inputs()).begin(ONE, "c1", 0, faults=True).us == 0
    assert Estimates(Inputs()).usual("c1") == 0
