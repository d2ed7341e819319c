from amqplite.lab.rerun.refusal import CannotRerun


def test_it_says_why_in_both_languages() -> None:
    error = CannotRerun("whatif.err.gap", n=2)
    assert str(error) == "This trace can't be run again: 2 events are missing in it."
    assert error.text("zh") == "无法重新运行此轨迹：其中缺少 2 个事件。"
    assert str(CannotRerun("whatif.err.gap", n=1)).endswith("1 event is missing in it.")
