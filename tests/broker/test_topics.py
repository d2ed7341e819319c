import random
import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.topics import BLOCK_STATES_MAX, TRIE_WORDS_MAX, TopicTrie, normal_form

MATCHES = [
    # binding key    routing key      matches  because
    ("a.b", "a.b", True, "equal words"),
    ("a.b", "a.b.c", False, "a word too many"),
    ("a.b", "a", False, "a word too few"),
    ("a.b", "A.B", False, "case counts"),
    ("a.b", "ab", False, "a dot is no wildcard"),
    ("a.*", "a.b", True, "* is one word"),
    ("a.*", "a.", True, "* may be an empty word"),
    ("a.*", "a", False, "* is not none"),
    ("a.*", "a.b.c", False, "* is not two"),
    ("a.*.b", "a..b", True, "an empty word in the middle"),
    ("a.*.b", "a.x.b", True, "one word in the middle"),
    ("a.*.b", "a.b", False, "no word in the middle"),
    ("*.*", ".", True, "a dot alone parts two empty words"),
    ("*.*", "a", False, "one word is not two"),
    ("*", "a", True, "* alone is one word"),
    ("*", "", False, "the empty key has no word"),
    ("*", "a.b", False, "* alone is not two"),
    ("a.#", "a", True, "# may be none"),
    ("a.#", "a.b", True, "# may be one"),
    ("a.#", "a..b", True, "# may be empty words"),
    ("a.#", "a.b.c", True, "# may be many"),
    ("a.#", "b.a", False, "# is not at the start"),
    ("a.#.b", "a.b", True, "# in the middle may be none"),
    ("a.#.b", "a.x.b", True, "# in the middle may be one"),
    ("a.#.b", "a..b", True, "# in the middle may be an empty word"),
    ("a.#.b", "a.x.y.b", True, "# in the middle may be many"),
    ("a.#.b", "ab", False, "# does not make a dot optional"),
    ("a.#.b", "a", False, "one word is not two ends"),
    ("a.*.c.#", "a.b.c", True, "# after * may be none"),
    ("a.*.c.#", "a.b.c.d", True, "# after * may be one"),
    ("a.*.c.#", "a.c", False, "* still is one word"),
    ("#", "", True, "# takes the empty key"),
    ("#", "a", True, "# takes one word"),
    ("#", "..", True, "# takes empty words"),
    ("#.#", "", True, "## takes the empty key"),
    ("#.#", "a.b.c", True, "## takes everything"),
    ("#.*", "", False, "#.* needs a word"),
    ("#.*", "a", True, "#.* takes one word"),
    ("*.#", "a.b", True, "*.# takes two words"),
    ("#.*.#.*", "a", False, "two * need two words"),
    ("#.*.#.*", "a.b.c", True, "two * and more"),
    ("#.a", "a", True, "# before the end may be none"),
    ("#.a", "b.a.a", True, "# must not stop at the first"),
    ("#.a", "a.b", False, "the end has to fit"),
    ("a.#.b.#.c", "a.x.b.b.y.c", True, "# has to backtrack"),
    ("a.#.b.#.c", "a.x.c.y.b", False, "order counts"),
    ("", "", True, "empty is empty"),
    ("", "a", False, "the empty key is not #"),
    ("", ".", False, "two empty words are not none"),
    (".", ".", True, "empty words are words"),
    ("a..b", "a..b", True, "an empty word is equal to itself"),
    ("a..b", "a.b", False, "an empty word is not none"),
    ("a*", "ab", False, "* within a word is literal"),
    ("a*", "a*", True, "* within a word is equal to itself"),
    ("*#", "a", False, "*# is a literal"),
    ("a.+", "a.b", False, "+ is literal"),
    ("a.b", "a.*", False, "* in a routing key is literal"),
    ("a.*", "a.*", True, "* takes the word *"),
    ("a.*", "a.#", True, "* takes the word #"),
    ("#.*.b", "*.b", True, "* takes the word * after #"),
    ("#.b", "#.b", True, "# takes the word #"),
    ("#.a.b", "#.b", False, "# in a routing key is literal"),
    ("grüße.*", "grüße.жизнь", True, "words are Unicode"),
    ("\udcff.*", "\udcff.a", True, "words need not be Unicode"),
]


@pytest.mark.parametrize(
    ("binding", "routing", "expected"), [pytest.param(*row[:3], id=row[3]) for row in MATCHES]
)
def test_topic_match(binding: str, routing: str, expected: bool) -> None:
    assert matches(binding, routing) is expected
    assert oracle(binding, routing) is expected


@pytest.mark.parametrize(
    ("binding", "routing", "expected"), [pytest.param(*row[:3], id=row[3]) for row in MATCHES]
)
def test_topic_match_of_long_keys(binding: str, routing: str, expected: bool) -> None:
    long = ".".join("x" * TRIE_WORDS_MAX)
    if binding and routing:
        assert matches(f"{long}.{binding}", f"{long}.{routing}") is expected


def matches(binding_key: str, routing_key: str) -> bool:
    trie = TopicTrie()
    trie.add(binding_key, "q")
    return trie.match(routing_key) == ("q",)


def oracle(binding_key: str, routing_key: str) -> bool:
    """Match by the definition: as a regular expression on words that each end in a dot."""
    words = binding_key.split(".") if binding_key else []
    parts = {"*": r"[^.]*\.", "#": r"(?:[^.]*\.)*"}
    pattern = "".join(parts.get(word, re.escape(word) + r"\.") for word in words)
    return re.fullmatch(pattern, f"{routing_key}." if routing_key else "") is not None


@pytest.mark.parametrize(
    ("binding_key", "expected"),
    [
        ("", ()),
        ("a.b", ("a", "b")),
        ("#.#", ("#",)),
        ("#.*", ("*", "#")),
        ("*.#", ("*", "#")),
        ("#.*.#.*.a.#.#.b.*", ("*", "*", "#", "a", "#", "b", "*")),
    ],
)
def test_runs_of_wildcards_have_one_form(binding_key: str, expected: tuple[str, ...]) -> None:
    assert normal_form(binding_key) == expected


def test_a_destination_comes_once_however_many_keys_match() -> None:
    trie = TopicTrie()
    for key in ("a.b", "a.*", "a.#", "#", "#.b", "*.b"):
        trie.add(key, "q")
    assert trie.match("a.b") == ("q",)


def test_destinations_come_in_the_order_they_were_added() -> None:
    trie = TopicTrie()
    for number, key in enumerate(["#", "a.b", "#.b", "a.*", "*.#.b", "a.#"]):
        trie.add(key, number)
    assert trie.match("a.b") == (0, 1, 2, 3, 4, 5)


def test_a_pair_added_twice_has_to_be_removed_twice() -> None:
    trie = TopicTrie()
    first, second = trie.add("a.#", "q"), trie.add("a.#", "q")
    trie.remove("a.#", first)
    assert trie.match("a") == ("q",)
    trie.remove("a.#", second)
    assert trie.match("a") == ()


def test_what_is_removed_leaves_nothing_behind() -> None:
    trie = TopicTrie()
    keys = ["", "#", "a", "a.b.c", "a.b", "a.*.#", "#.a", "#.a.b", ".".join("a" * 100)]
    places = [trie.add(key, key) for key in keys]
    for key, place in zip(keys, places, strict=True):
        trie.remove(key, place)
    assert trie._keys == {}
    assert trie._root.below == {}
    assert trie._root.places == {}
    assert trie._blocks == []
    assert trie._block_of == {}


def test_many_blocks_match_as_one() -> None:
    trie = TopicTrie()
    places = [trie.add(f"#.{number}", number) for number in range(BLOCK_STATES_MAX)]
    assert len(trie._blocks) == 2
    assert trie.match("a.7") == (7,)
    assert trie.match("2000") == (2000,)
    trie.remove("#.7", places[7])
    trie.remove("#.9", places[9])
    assert trie.match("a.7") == ()
    assert trie.match("8") == (8,)
    trie.add("a.#.7", "again")
    assert len(trie._blocks) == 2
    assert trie.match("a.7") == ("again",)


word = st.sampled_from(["a", "b", "", "*", "#", "a*"])
binding_keys = st.lists(word, max_size=7).map(".".join)
routing_keys = st.lists(word, max_size=9).map(".".join)


@given(st.lists(binding_keys, max_size=12), st.lists(routing_keys, max_size=5), st.booleans())
def test_match_agrees_with_the_definition(
    bindings: list[str], routings: list[str], long: bool
) -> None:
    prefix = "x." * TRIE_WORDS_MAX if long else ""
    trie = TopicTrie()
    for key in bindings:
        trie.add(prefix + key, key)
    for routing in routings:
        expected = dict.fromkeys(key for key in bindings if oracle(prefix + key, prefix + routing))
        assert trie.match(prefix + routing) == tuple(expected)


@given(st.data())
def test_a_trie_of_many_changes_is_as_one_built_anew(data: st.DataObject) -> None:
    trie, present = TopicTrie(), dict[int, tuple[str, int]]()
    for step in range(data.draw(st.integers(0, 20))):
        if present and data.draw(st.booleans()):
            place = data.draw(st.sampled_from(list(present)))
            trie.remove(present.pop(place)[0], place)
        else:
            key = data.draw(binding_keys)
            present[trie.add(key, step % 3)] = (key, step % 3)
        if data.draw(st.booleans()):  # blocks differ before and after a match
            trie.match("a")
    anew = TopicTrie()
    for key, destination in present.values():
        anew.add(key, destination)
    for routing in data.draw(st.lists(routing_keys, max_size=5)):
        assert trie.match(routing) == anew.match(routing)


def test_adversarial_keys_do_not_blow_up() -> None:
    draw = random.Random(1)
    vocabularies = ["ab#", "a*#", "a*", "*#", ["a", "", "#"], "a#"]
    for words in vocabularies:
        trie = TopicTrie()
        for number in range(1000):
            trie.add(".".join(draw.choice(words) for _ in range(128))[:255], number)
            trie.add(f"#.#.#.a.#.{number}.#.#", number)
        for routing in ("a." * 127 + "a", "." * 255, "a.b." * 63 + "c", "#." * 127):
            started = perf_counter()
            trie.match(routing)
            # A few milliseconds; the margin is for a busy machine. A blow-up takes minutes.
            assert perf_counter() - started < 0.25
