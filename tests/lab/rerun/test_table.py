from amqplite.lab.explaining.teller import Teller
from amqplite.lab.export.width import cells
from amqplite.lab.rerun.policy import Policy
from amqplite.lab.rerun.table import table, whatif_text
from amqplite.lab.whatif import Study
from tests.lab.rerun.recorded import recorded

STUDY = Study(recorded("fig-11-2"))
ROWS = STUDY.compare([Policy(single_active=True), Policy(ack_timeout=200)]).rows


def test_numbers_stand_below_their_names() -> None:
    assert table(ROWS, Teller("en", 400_000)) == [
        "Policy                        Inversions   Moved   Redelivered   95 % waited      End   "
        "Buffer   Not done",
        "as recorded                            1       1             1     2.6 ticks    t=8.4   "
        "     1          0",
        "single active consumer                 0       0             1     4.6 ticks   t=10.4   "
        "     0          0",
        "an ack timeout of 0.5 ticks            0       0           300     0.0 ticks        ∞   "
        "     0          5",
    ]


def test_chinese_takes_two_columns() -> None:
    lines = table(ROWS, Teller("zh", 400_000))
    assert len({cells(line) for line in lines}) == 1
    assert lines[0].startswith("策略")


def test_all_is_said_in_lines_that_fit() -> None:
    found = STUDY.what_if(Policy(single_active=True))
    told = whatif_text(
        found.check,
        [found.recorded, found.row],
        found.sentence["en"],
        found.assumptions,
        Teller("en", 400_000),
        60,
        ascii_only=True,
    )
    check, _, sentence, assumed = told.rstrip().split("\n\n")
    assert check.split("\n")[0] == "Run again as it was recorded, all 5 messages were done in"
    assert sentence.startswith("Single active consumer would have cut 1 inversion to 0 at")
    lines = assumed.split("\n")
    assert lines[:3] == [
        "Taken for granted:",
        "- The broker's own code hands out, on a clock that stands",
        "  still meanwhile: only work takes time.",
    ]
    assert max(map(len, lines)) <= 60
    assert told.isascii()
