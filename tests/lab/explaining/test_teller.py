import pytest

from amqplite.lab.explaining.teller import Teller
from amqplite.lab.trace import SECOND_US

ENGLISH, CHINESE = Teller("en", 400_000), Teller("zh", 400_000)
LIVE, LIVE_CHINESE = Teller("en", SECOND_US), Teller("zh", SECOND_US)


@pytest.mark.parametrize(
    ("tick", "words"), [(2, "t=2.0"), (3.4, "t=3.4"), (3.456, "t=3.46"), (10, "t=10.0")]
)
def test_an_instant_is_in_ticks(tick: float, words: str) -> None:
    assert ENGLISH.at(round(tick * 400_000)) == words
    assert CHINESE.at(round(tick * 400_000)) == words


def test_or_in_seconds_where_a_tick_is_one() -> None:
    assert LIVE.at(3_420_000) == "3.42 s"
    assert LIVE_CHINESE.at(3_420_000) == "第 3.42 秒"


def test_a_span_has_its_unit() -> None:
    assert ENGLISH.span(720_000) == "1.8 ticks"
    assert CHINESE.span(720_000) == "1.8 个节拍"
    assert LIVE.span(720_000) == "0.72 s"
    assert LIVE_CHINESE.span(720_000) == "0.72 秒"


def test_a_short_span_is_in_milliseconds() -> None:
    assert LIVE.span(99_999) == "100.0 ms"
    assert LIVE.span(3_140) == "3.14 ms"
    assert LIVE_CHINESE.span(350) == "0.35 毫秒"


def test_a_cause_has_its_words() -> None:
    assert ENGLISH.cause("connection_lost", "eof") == "connection lost"
    assert CHINESE.cause("connection_lost", "heartbeat_timeout") == "心跳超时"
    assert ENGLISH.cause("cosmic_ray") == "cosmic_ray"


@pytest.mark.parametrize(
    ("labels", "total", "english", "chinese"),
    [
        ([], 0, "", ""),
        (["m4"], 1, "m4", "m4"),
        (["m4", "m5"], 2, "m4 and m5", "m4 和 m5"),
        (["m4", "m5", "m6"], 0, "m4, m5 and m6", "m4、m5 和 m6"),
        (["m4", "m5"], 9, "m4, m5 and 7 more", "m4、m5 以及另外 7 条"),
    ],
)
def test_a_list_is_a_list(labels: list[str], total: int, english: str, chinese: str) -> None:
    assert ENGLISH.names(labels, total) == english
    assert CHINESE.names(labels, total) == chinese


def test_a_few_consumers_are_named_each_once() -> None:
    assert ENGLISH.consumers(["c1", "c3", "c1"]) == "c1 and c3"
    assert ENGLISH.consumers(["a", "b", "c", "d"]) == "other consumers"
    assert CHINESE.consumers(["", "c1"]) == "主动索取的客户端（basic.get）和 c1"


def test_between_chinese_and_chinese_there_is_no_space() -> None:
    assert CHINESE("why.over", ys="m4", cs="c1") == "在此期间，m4 已交给 c1 并先完成。"
    assert CHINESE("why.over", ys="m4 以及另外 2 条", cs="其他消费者") == (
        "在此期间，m4 以及另外 2 条已交给其他消费者并先完成。"
    )


def test_a_label_is_shown_as_it_is() -> None:
    assert CHINESE("why.open", x="订单 一") == "订单 一还没有完成。"
    assert CHINESE("why.open", x="<b>{x}") == "<b>{x} 还没有完成。"


def test_what_takes_less_than_a_tenth_of_a_tick_is_not_worth_telling() -> None:
    assert [ENGLISH.lasts(us) for us in (0, 400, 39_999, 40_000)] == [False, False, False, True]
