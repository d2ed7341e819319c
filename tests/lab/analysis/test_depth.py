from amqplite.lab.analysis.depth import Depth


def test_only_a_depth_that_lasts_counts() -> None:
    depth = Depth()
    depth.change(1, 100)
    depth.change(-1, 100)
    depth.change(1, 200)
    assert (depth.ready, depth.most) == (1, 1)
    depth.change(1, 300)
    depth.change(1, 300)
    depth.change(-1, 300)
    depth.change(-1, 400)
    assert (depth.ready, depth.most) == (1, 2)


def test_what_the_broker_says_counts_more_than_what_is_known() -> None:
    depth = Depth()
    depth.change(1, 100, told=41)
    depth.change(0, 200, told=40)
    assert (depth.ready, depth.most) == (40, 41)


def test_there_are_never_fewer_than_none() -> None:
    depth = Depth()
    depth.change(-1, 100)
    assert (depth.ready, depth.most) == (0, 0)
