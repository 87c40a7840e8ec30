"""The distance between two texts: the number of characters to insert, delete or replace."""

from __future__ import annotations


def edit_distance(one: str, other: str) -> int:
    """Return the smallest number of such changes (Levenshtein 1966, Soviet Physics Doklady 10, 707-710).

    Table rows are integers whose bits mark rises and falls (Myers 1999, J. ACM 46, 395-415, in the form of Hyyrö
    2001). So texts of thousands of characters take milliseconds.

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
    """Return the edit distance as a share of the longer text: 0 for equal texts, 1 if nothing is left.

    >>> share_changed("a cup", "a mug"), share_changed("", "")
    (0.4, 0.0)
    """
    longer = max(len(one), len(other))
    return edit_distance(one, other) / longer if longer else 0.0
