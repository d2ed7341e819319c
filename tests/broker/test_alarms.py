from amqplite.broker.alarms import Alarms


def hearing(alarms: Alarms) -> list[bool]:
    """Return how things stood, each time that a listener was called."""
    heard = list[bool]()
    alarms.listeners[lambda: heard.append(alarms.on)] = None
    return heard


def test_no_alarm_is_on_at_first() -> None:
    assert (Alarms().on, Alarms().text) == (False, "")


def test_listeners_hear_of_the_first_alarm_and_of_the_end_of_the_last() -> None:
    alarms = Alarms()
    heard = hearing(alarms)
    alarms.set("memory", True)
    alarms.set("disk", True)
    alarms.set("disk", True)
    assert (heard, alarms.text) == ([True], "low on memory & low on disk")
    alarms.set("memory", False)
    assert (heard, alarms.text) == ([True], "low on disk")
    alarms.set("disk", False)
    alarms.set("disk", False)
    assert (heard, alarms.on) == ([True, False], False)


def test_an_alarm_is_over_when_all_who_found_it_say_so() -> None:
    alarms = Alarms()
    alarms.set("disk", True, "the file system")
    alarms.set("disk", True, "the store")
    alarms.set("disk", False, "the file system")
    assert alarms.on
    alarms.set("disk", False, "somebody else")
    assert alarms.on
    alarms.set("disk", False, "the store")
    assert not alarms.on


def test_clearing_what_is_not_on_is_nothing() -> None:
    alarms = Alarms()
    heard = hearing(alarms)
    alarms.set("memory", False)
    assert heard == []


def test_a_listener_may_leave_while_it_hears() -> None:
    alarms, heard = Alarms(), list[str]()

    def leave() -> None:
        heard.append("left")
        del alarms.listeners[leave]

    alarms.listeners[leave] = None
    alarms.listeners[lambda: heard.append("stayed")] = None
    alarms.set("disk", True)
    alarms.set("disk", False)
    assert heard == ["left", "stayed", "stayed"]
