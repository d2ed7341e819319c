"""Binding keys of topic exchanges (§3.1.3.3).

Dots separate words, and words may be empty: `a..b` has three, the empty key has none. In a binding
key `*` stands for exactly one word and `#` for zero or more; in a routing key they are words like
any other.

Most keys live in a trie, a level for each word, of which a routing key visits few nodes. Keys that
could keep a walk busy, being long or having a `#` before their end, live in blocks instead: there
every key is a row of states, every state is a bit, and a word moves the bits of a whole block at
once. So no set of keys costs more than its size times the number of words, and where that would be
much, big integers do it.
"""

from collections.abc import Iterable
from typing import Any

Destination = Any
"""Whatever a key leads to: hashable, and of no further concern here."""

Key = tuple[str, ...]
"""A binding key as words, with every run of wildcards in its one normal form."""

Places = dict[int, Destination]
"""Destinations of one key, by their place in the order of `TopicTrie.add`."""

TRIE_WORDS_MAX = 16
"""Words of a key in the trie, where a routing key of `a` may visit every node of `a`s and `*`s."""

BLOCK_STATES_MAX = 2048
"""States of a block. A block may need a mask of as many bits for as many words, hence a limit."""

_NO_WORD = "."
"""Equal to no word of any key."""


class TopicTrie:
    """Binding keys and what they lead to."""

    __slots__ = ("_block_of", "_blocks", "_keys", "_next_place", "_root")

    def __init__(self) -> None:
        self._next_place = 0
        self._keys: dict[Key, Places] = {}
        self._root = _Node()
        self._blocks: list[_Block] = []
        self._block_of: dict[Key, _Block] = {}

    def add(self, binding_key: str, destination: Destination) -> int:
        """Let `binding_key` lead to `destination`; return the place to `remove` it by.

        The same pair may be added several times, and is there until each is removed.
        """
        place = self._next_place
        self._next_place += 1
        key = normal_form(binding_key)
        places = self._keys.get(key)
        if places is None:
            places = self._keys[key] = {}
            if len(key) > TRIE_WORDS_MAX or "#" in key[:-1]:
                self._add_to_block(key, places)
            else:
                self._root.add(key, places)
        places[place] = destination
        return place

    def remove(self, binding_key: str, place: int) -> None:
        """Undo the `add` of `binding_key` that returned `place`."""
        key = normal_form(binding_key)
        places = self._keys[key]
        del places[place]
        if places:
            return
        del self._keys[key]
        block = self._block_of.pop(key, None)
        if block is None:
            self._root.discard(key)
        else:
            block.discard(key)
            if not block.keys:
                self._blocks.remove(block)

    def match(self, routing_key: str) -> tuple[Destination, ...]:
        """Return the destinations of all keys that match, each once, in the order of `add`."""
        words = routing_key.split(".") if routing_key else []
        if "*" in routing_key or "#" in routing_key:
            words = [_NO_WORD if word in ("*", "#") else word for word in words]
        found: Places = {}
        self._root.match(words, found)
        for block in self._blocks:
            block.match(words, found)
        return tuple(dict.fromkeys([found[place] for place in sorted(found)]))

    def _add_to_block(self, key: Key, places: Places) -> None:
        room = BLOCK_STATES_MAX - _states_of(key)
        block = next((block for block in self._blocks if block.states <= room), None)
        if block is None:
            block = _Block()
            self._blocks.append(block)
        block.add(key, places)
        self._block_of[key] = block


def normal_form(binding_key: str) -> Key:
    """Split `binding_key` into words, each run of wildcards as its `*`s and then one `#` at most.

    `#.#`, and `#.*` beside `*.#`, mean the same; told apart, they would multiply the work.
    """
    key: list[str] = []
    any_number = False
    for word in binding_key.split(".") if binding_key else []:
        if word == "#":
            any_number = True
            continue
        if any_number and word != "*":
            key.append("#")
            any_number = False
        key.append(word)
    if any_number:
        key.append("#")
    return tuple(key)


class _Node:
    """A node of the trie: what follows one way to begin, and the keys that end here.

    As a tree has one way to each node, a walk meets none twice. A `#` is a node too, without any
    below it.
    """

    __slots__ = ("below", "places")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.places: Places = {}

    def add(self, key: Key, places: Places) -> None:
        node = self
        for word in key:
            node = node.below.setdefault(word, _Node())
        node.places = places

    def discard(self, key: Key) -> None:
        """Take out `key`, and the nodes that only it needed."""
        path = [self]
        for word in key:
            path.append(path[-1].below[word])
        path[-1].places = {}
        for word, parent in zip(reversed(key), reversed(path[:-1]), strict=True):
            node = parent.below[word]
            if node.below or node.places:
                break
            del parent.below[word]

    def match(self, words: Iterable[str], found: Places) -> None:
        """Add to `found` what the keys that match `words` lead to."""
        level = [self]
        for word in words:
            following = []
            for node in level:
                below = node.below
                if "#" in below:
                    found.update(below["#"].places)
                if word in below:
                    following.append(below[word])
                if "*" in below:
                    following.append(below["*"])
            level = following
        for node in level:
            found.update(node.places)
            if "#" in node.below:
                found.update(node.below["#"].places)


class _Block:
    """Keys as rows of states in one integer (the shift-and algorithm).

    A key of `n` words, not counting `#`, has `n + 1` states. The bit of state `i` is set while the
    words read so far match the key's first `i`. A word that fits moves it up; a `#` between word
    `i` and the next lets it stay as well. The last state of a key has nowhere to move to, so rows
    don't meet.

    Attributes:
        states: how many states the keys have together.
    """

    __slots__ = ("_any", "_ends", "_fits", "_last", "_loops", "_starts", "_width", "keys", "states")

    def __init__(self) -> None:
        self.keys: dict[Key, Places] = {}
        self.states = 0
        self._clear()

    def add(self, key: Key, places: Places) -> None:
        fresh = self._width == self.states
        self.keys[key] = places
        self.states += _states_of(key)
        if fresh:
            self._lay_out(key, places)

    def discard(self, key: Key) -> None:
        """Take out `key`; the next `match` closes the gap, once for however many have gone."""
        del self.keys[key]
        self.states -= _states_of(key)
        self._clear()

    def match(self, words: Iterable[str], found: Places) -> None:
        """Add to `found` what the keys that match `words` lead to."""
        if self._width != self.states:
            for key, places in self.keys.items():
                self._lay_out(key, places)
        state, fits, any_word, loops = self._starts, self._fits, self._any, self._loops
        for word in words:
            state = (state & (fits.get(word, 0) | any_word)) << 1 | state & loops
            if not state:
                return
        state &= self._last
        while state:
            end = state.bit_length() - 1
            state ^= 1 << end
            found.update(self._ends[end])

    def _clear(self) -> None:
        self._width = 0  # states laid out: all of them, or none
        self._starts = 0  # states before the first word
        self._last = 0  # states after the last word
        self._any = 0  # states that any word moves up: `*` is next
        self._fits: dict[str, int] = {}  # states that this word moves up
        self._loops = 0  # states that a word may leave as they are: `#` is next
        self._ends: dict[int, Places] = {}  # where each of `_last` leads to

    def _lay_out(self, key: Key, places: Places) -> None:
        bit = 1 << self._width
        self._starts |= bit
        for word in key:
            if word == "#":
                self._loops |= bit
                continue
            if word == "*":
                self._any |= bit
            else:
                self._fits[word] = self._fits.get(word, 0) | bit
            bit <<= 1
        self._last |= bit
        self._ends[bit.bit_length() - 1] = places
        self._width = bit.bit_length()


def _states_of(key: Key) -> int:
    return len(key) - key.count("#") + 1
