"""What has to come of a scenario."""

from amqplite.lab.expect import Expect


def test_what_a_variant_expects_replaces_what_the_scenario_does() -> None:
    base = Expect(inversions={"q": 1}, late={"q": 1.8}, lost="")
    told = base.overridden(Expect(late={"q": 6.4}, effects=0))
    assert told == Expect(inversions={"q": 1}, late={"q": 6.4}, lost="", effects=0)
