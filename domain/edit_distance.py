"""How far a text is from another, in characters that have to be put in, taken out or replaced."""

from __future__ import annotations


def edit_distance(one: str, other: str) -> int:
    """The fewest such changes (Levenshtein 1966, Soviet Physics Doklady 10, 707-710).

    Rows of the table are whole numbers whose bits say where it rises and falls (Myers 1999, J. ACM 46, 395-415, as
    Hyyrö 2001 has it), so texts of thousands of characters take milliseconds.

    >>> edit_distance("kitten", "sitting"), edit_distance("", "abc"), edit_distance("same", "same")
    (3, 3, 0)
    """
    if len(one) < len(other):
        one, other = other, one
    if not other:
        return len(one)
    places: dict[str, int] = {}
    for at, letter in enumerate(other):
        places[letter] = places.get(letter, 0) | 1 << at
    every, last = (1 << len(other)) - 1, 1 << len(other) - 1
    up, down, distance = every, 0, len(other)
    for letter in one:
        equal = places.get(letter, 0)
        zero = (((equal & up) + up) ^ up) | equal | down
        higher, lower = down | ~(zero | up) & every, up & zero
        distance += bool(higher & last) - bool(lower & last)
        higher = higher << 1 | 1
        lower <<= 1
        up = (lower | ~(zero | higher)) & every
        down = higher & zero & every
    return distance


def share_changed(one: str, other: str) -> float:
    """The same as a share of the longer text: 0 where nothing is changed, 1 where nothing is left.

    >>> share_changed("a cup", "a mug"), share_changed("", "")
    (0.4, 0.0)
    """
    longer = max(len(one), len(other))
    return edit_distance(one, other) / longer if longer else 0.0
