"""The lab's texts, in English and 简体中文: one source for page, exports, API and terminal.

They stand in `texts/`: `en.json`, and `page.en.json` and the like for what the page alone says;
likewise for the other language. Slots are `{x}`; what counts has a key for one and one for more.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

ENGLISH, CHINESE = LANGUAGES = ("en", "zh-CN")

FOLDER = Path(__file__).with_name("texts")

_SLOT = re.compile(r"\{(\w+)\}")


def read_texts(language: str, folder: Path = FOLDER) -> dict[str, str]:
    """Read all texts of a language, by key."""
    table: dict[str, str] = {}
    for path in sorted({folder / f"{language}.json", *folder.glob(f"*.{language}.json")}):
        table |= json.loads(path.read_text(encoding="utf-8"))
    return table


_TEXTS = {language: read_texts(language) for language in LANGUAGES}


def language_of(tag: str) -> str:
    """Return which of our languages is meant by a tag such as `zh` or `en-GB`: else English."""
    return CHINESE if tag.lower().partition("-")[0] == "zh" else ENGLISH


def texts(language: str) -> Mapping[str, str]:
    """Return all texts of a language, by key."""
    return _TEXTS[language_of(language)]


def text(language: str, key: str, /, **slots: object) -> str:
    """Return a text with its slots filled; one without a value stays as it is.

    Of a text that counts, the slot `n` chooses the form. What the language lacks is in English, and
    what that lacks is the key.
    """
    template = _find(texts(language), key, slots)
    if template is None:
        template = _find(_TEXTS[ENGLISH], key, slots)
    if template is None:
        return key
    return _SLOT.sub(lambda slot: str(slots.get(slot[1], slot[0])), template)


def _find(table: Mapping[str, str], key: str, slots: Mapping[str, object]) -> str | None:
    form = f"{key}.one" if slots.get("n") == 1 else f"{key}.other"
    return table.get(key, table.get(form))
