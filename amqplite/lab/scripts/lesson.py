"""What a class reads about a scenario, in English and Chinese."""

from msgspec import Struct


class Words(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same text in both languages."""

    en: str
    zh: str


class Answer(Words, frozen=True, kw_only=True):
    """An answer to choose.

    Attributes:
        id: unique in its question.
    """

    id: str


class Question(Words, frozen=True, kw_only=True):
    """What to predict before the run.

    Attributes:
        right: the right answer's id.
        why: what makes it right.
    """

    answers: tuple[Answer, ...]
    right: str
    why: Words


class Hint(Words, frozen=True, kw_only=True):
    """What to try next.

    Attributes:
        scenario: another one to go to; empty is this one.
        variant: which of its variants.
    """

    scenario: str = ""
    variant: str = ""


class Snippet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program to copy, with `{url}` and `{queue}` to be filled in.

    Attributes:
        install: the command that gets its library.
    """

    title: str
    language: str
    install: str
    code: str
