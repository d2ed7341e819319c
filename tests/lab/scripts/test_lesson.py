"""What a class reads: both languages, and nothing that nobody knows."""

import msgspec
import pytest

from amqplite.lab.scripts.lesson import Answer, Hint, Words


def test_a_text_has_both_languages_and_no_other() -> None:
    assert msgspec.convert({"en": "a", "zh": "一"}, Words) == Words(en="a", zh="一")
    for wrong in ({"en": "a"}, {"en": "a", "zh": "一", "fr": "un"}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Words)


def test_who_may_have_more_has_it_beside_them() -> None:
    assert msgspec.to_builtins(Answer(id="x", en="a", zh="一")) == {
        "id": "x",
        "en": "a",
        "zh": "一",
    }
    assert Hint(en="a", zh="一").scenario == ""
