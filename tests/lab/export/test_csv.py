"""A table of messages, for spreadsheets."""

import csv
from io import StringIO

import pytest

from amqplite.lab.export.csv import COLUMNS, csv_table, rows_of, safe
from tests.lab.export.pictures import account_of
from tests.lab.story import LATE, TICK, Story, figure_11_2


def table(story: Story | None = None) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(csv_table(account_of(story)))))


def test_the_figure_has_a_row_for_each_message() -> None:
    rows = table()
    assert [row["message"] for row in rows] == ["m1", "m2", "m3", "m4", "m5"]
    assert tuple(rows[0]) == COLUMNS


def test_the_row_of_the_one_that_came_back() -> None:
    assert table()[2] == {
        **{"message": "m3", "id": "3", "vhost": "/", "queue": "q", "place": "3"},
        **{"publisher": "p1", "key": "", "priority": "0"},
        **{"published_us": str(2 * TICK), "enqueued_us": str(2 * TICK)},
        **{"first_delivered_us": str(2 * TICK), "last_delivered_us": "1920000"},
        **{"ended_us": "2640000", "end": "acked", "attempts": "2", "consumers": "c2 c1"},
        **{"returns": "connection_lost", "overtaken_by": "m4", "overtaken_by_count": "1"},
        **{"late_us": str(LATE), "cause": "connection_lost"},
    }


def test_what_did_not_happen_is_empty() -> None:
    story = Story()
    story.publish(1, "m1", key="A")
    (row,) = table(story)
    assert (row["first_delivered_us"], row["ended_us"], row["end"]) == ("", "", "")
    assert (row["key"], row["attempts"], row["late_us"]) == ("A", "0", "0")


def test_a_message_in_two_queues_has_two_rows() -> None:
    story = Story()
    story.publish(0, "m1", "a", "b")
    story.tell(1, "expired", "m1", queue="b", cause="ttl")
    assert [(row["queue"], row["end"]) for row in table(story)] == [("a", ""), ("b", "expired")]


def test_a_silent_death_is_named() -> None:
    story = Story()
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.requeue(5, "m1", "c1", "connection_lost", "heartbeat_timeout")
    assert rows_of(story.events)[0].returns == ["heartbeat_timeout"]


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "﹣1"]
)
def test_no_name_is_a_formula(name: str) -> None:
    assert str(safe(name)).startswith("'") or name == "﹣1"


def test_other_cells_stay_as_they_are() -> None:
    assert [safe(cell) for cell in ("m1", "队列", 5, None, "a=b")] == ["m1", "队列", 5, None, "a=b"]
    assert safe("a\ud800\0") == "a?\ufffd"


def test_names_with_commas_and_lines_stay_in_their_cell() -> None:
    story = Story('a,"b"\nc')
    story.publish(0, "m1")
    assert table(story)[0]["queue"] == 'a,"b"\nc'
    assert csv_table(account_of(figure_11_2())).count("\r\n") == 6
