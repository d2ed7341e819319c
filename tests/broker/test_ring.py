from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.ring import Ring


@dataclass(eq=False)
class Member:
    name: str
    priority: int = 0


def names(ring: Ring[Member]) -> list[str]:
    return [member.name for member in ring.top]


def test_members_of_one_priority_stand_in_the_order_they_came() -> None:
    ring = Ring[Member]()
    for name in "abc":
        ring.add(Member(name))
    assert names(ring) == ["a", "b", "c"]


def test_the_highest_priority_stands_before_the_others_until_it_is_gone() -> None:
    ring = Ring[Member]()
    for name, priority in (("a", 0), ("b", 5), ("c", -1), ("d", 5), ("e", 0)):
        ring.add(Member(name, priority))
    seen = []
    while ring.top:
        seen.append(names(ring))
        ring.drop_first()
    assert seen == [["b", "d"], ["d"], ["a", "e"], ["e"], ["c"]]


def test_who_is_not_there_may_be_removed() -> None:
    ring = Ring[Member]()
    ring.remove(Member("stranger"))
    ring.add(Member("a"))
    ring.remove(Member("stranger"))
    assert names(ring) == ["a"]


def test_removing_the_last_of_the_highest_brings_up_the_next() -> None:
    ring = Ring[Member]()
    high, low, lower = Member("high", 2), Member("low", 1), Member("lower", 0)
    for member in (low, high, lower):
        ring.add(member)
    ring.remove(low)
    ring.remove(high)
    assert names(ring) == ["lower"]


@given(st.lists(st.tuples(st.sampled_from(["add", "drop", "remove", "turn"]), st.integers(0, 3))))
def test_a_ring_is_a_list_sorted_by_priority(steps: list[tuple[str, int]]) -> None:
    ring, model = Ring[Member](), list[Member]()
    for step, number in steps:
        top = [m for m in model if m.priority == max(one.priority for one in model)]
        if step == "add":
            member = Member(str(len(model)), number)
            ring.add(member)
            model.append(member)
        elif step == "drop" and top:
            ring.drop_first()
            model.remove(top[0])
        elif step == "remove" and number < len(model):
            ring.remove(model[number])
            del model[number]
        elif step == "turn" and top:
            ring.top.rotate(-1)
            model.remove(top[0])
            model.append(top[0])
        top = [m for m in model if m.priority == max(one.priority for one in model)]
        assert list(ring.top) == top
