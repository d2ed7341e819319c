"""Why a trace can't be run again."""

from amqplite.lab.texts import ENGLISH, text


class CannotRerun(Exception):
    """A trace can't be run again, or not so; `str()` says why, in English.

    Attributes:
        key: of the text that says why.
        slots: what is to be put in there.
    """

    def __init__(self, key: str, **slots: object) -> None:
        super().__init__(key)
        self.key = key
        self.slots = slots

    def __str__(self) -> str:
        return self.text(ENGLISH)

    def text(self, language: str) -> str:
        """Return why, in a language."""
        return text(language, self.key, **self.slots)
