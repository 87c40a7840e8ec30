"""Reading of YAML as data only, with the line of every key, and sentences about content that is not allowed.

Beyond YAML's own rules, it refuses anchors, aliases, tags and duplicate keys. It also refuses bare words and numbers
that YAML would silently read as something else (``yes``, ``1.10``, ``010``, ``2024-01-01``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.reader import Reader
from yaml.resolver import Resolver

Path = tuple[str | int, ...]

ERROR, WARNING = "error", "warning"
"""The levels of a problem: certainly wrong, and possibly intended."""

NOTHING = "this key has no value; write a value (in quotes if it begins with `#`), or remove the key"
READ_OTHERWISE = "YAML reads the unquoted"
"""The beginning of messages that the type of a key may explain better."""

LARGEST_BYTES = 1_000_000
DEEPEST = 30
MOST_REPAIRS = 10
"""The maximum number of invalid lines that are reported at once, in files of limited size."""
LARGEST_REPAIRED = 100_000

_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,14})")
_KEY = re.compile(r"\s*(- )?\{?[A-Za-z_][A-Za-z0-9_]*:(\s|$)")
_READ_OTHERWISE = re.compile("[\t\x85\u2028\u2029\ufeff]")
"""Tabs and line breaks of other scripts."""
_SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True)
class Trouble:
    """One problem in the text."""

    line: int
    """The line number, counted from 1."""
    path: Path
    message: str
    level: str = ERROR


@dataclass
class Document:
    """A YAML text as plain values (mappings, tuples, scalars), with the line of every key and entry."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    broken: bool = False
    """Whether ``value`` lacks lines that were not valid YAML."""
    odd: set[int] = field(default_factory=set)
    """Lines with anchors, aliases or tags, which are ignored."""

    def line_of(self, path: Path) -> int:
        """Return the line of a key, or of the nearest key that contains it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def add(self, path: Path, message: str, *, line: int | None = None, level: str = ERROR) -> None:
        """Add a problem at a key."""
        self.troubles.append(Trouble(line or self.line_of(path), path, message, level))

    @property
    def errors(self) -> list[Trouble]:
        """Return the problems that make the text unusable."""
        return [trouble for trouble in self.troubles if trouble.level == ERROR]


def decode(data: bytes) -> str:
    """Return the text of a file. Raise ``ValueError`` with a sentence if it is not a text file in UTF-8."""
    if len(data) > LARGEST_BYTES:
        raise ValueError(
            f"the file has {len(data):,} bytes, but a schema or guideline can have at most {LARGEST_BYTES:,}; "
            "shorten the file"
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("the file is in UTF-16 or UTF-32; save the file as UTF-8")
    if b"\0" in data:
        raise ValueError("the file is not text (it contains null bytes); use a YAML file in UTF-8")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ValueError(f"line {line} is not UTF-8; save the file as UTF-8") from error


def parse_yaml(text: str) -> Document:
    """Parse one YAML document. All problems are in ``troubles``, and ``value`` may then be incomplete.

    An invalid line is treated as empty, so that problems in later lines are reported too.
    """
    document = Document()
    for match in Reader.NON_PRINTABLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        document.add(
            (), "the file contains a control character that YAML does not allow; remove the character", line=line
        )
    text = Reader.NON_PRINTABLE.sub(" ", text)
    document.broken = bool(document.troubles)
    node = _node(text, document)
    if node is None:
        if not document.troubles:
            document.add((), "the file is empty; write lines such as `key: value`")
    elif not isinstance(node, yaml.MappingNode):
        if not document.broken:
            document.add(
                (), "the file is not a mapping; write lines such as `key: value`", line=node.start_mark.line + 1
            )
    else:
        document.value = _value(node, (), document)
    return document


def compose(text: str) -> yaml.Node | None:
    """Return the nodes of a text that ``parse_yaml`` reads without changes, with their places."""
    return _Composer(list(_parsed(text))).get_single_node()


def _node(text: str, document: Document) -> yaml.Node | None:
    """Return the YAML nodes of a text without its invalid lines, or None if no content is left."""
    lines = text.split("\n")
    for _ in range(MOST_REPAIRS if len(text) <= LARGEST_REPAIRED else 1):
        before = len(document.troubles)
        try:
            events = list(_events("\n".join(lines), document))
            if document.troubles and document.troubles[-1].message.startswith("more than"):
                return None
            return _Composer(events).get_single_node()
        except yaml.MarkedYAMLError as error:
            del document.troubles[before:]
            line, why = _not_yaml(error, "\n".join(lines))
            if document.broken and not _goes_on(lines, line):
                return None
            document.add((), f"invalid YAML: {why}", line=line)
            document.broken = True
            if line > len(lines) or not lines[line - 1].strip():
                return None
            lines[line - 1] = ""
    return None


def _goes_on(lines: Sequence[str], line: int) -> bool:
    """Whether an invalid line is wrong in itself, and not because the line before it was removed."""
    return line >= 2 and bool(lines[line - 2].strip())


def _not_yaml(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str]:
    """Return the line where a text stops being YAML, and the reason.

    An unclosed quote swallows lines until the next quote, so its opening line is reported.
    """
    opened = _open_quote(text)
    if opened is not None:
        return opened, "the opening quote on this line has no closing quote; add the closing quote"
    at, begun = error.problem_mark, error.context_mark
    problem, context = error.problem or "", error.context or ""
    lines = text.split("\n")
    ends = "end of stream" in problem or "<stream end>" in problem
    unclosed = "flow" in context and at is not None and _KEY.match(lines[at.line])
    mark = begun if begun and (ends or unclosed or "simple key" in context) else at or begun
    if mark is None or at is None:
        return 1, problem
    if "flow" in context and begun is not None and (ends or begun.line < at.line):
        return mark.line + 1, "the opening bracket on this line has no closing bracket; add the closing bracket"
    return mark.line + 1, _remedy(problem, lines[mark.line][: at.column if at.line == mark.line else None]) or (
        f"{problem}{f' ({context})' if context else ''}"
    )


def _remedy(problem: str, before: str) -> str | None:
    """Return the usual cause of a parser error and its fix; ``before`` is the line up to the error."""
    if "could not find expected ':'" in problem:
        if "\xa0" in before:
            return "this line has a no-break space; use a plain space instead"
        return "this line has no key with a value; put a colon and a space after the key"
    if "'\\t'" in problem:
        return "this line has a tab; indent with spaces"
    if "cannot start any token" in problem:
        return (
            f"{problem.removeprefix('found ').replace('that cannot start any token', 'begins a value')}; quote the text"
        )
    if "mapping values are not allowed" in problem:
        if _KEY.match(before):
            return "this line has a second colon; put the text in quotes"
        return "this line is indented too far, because the key above already has a value; indent the line less"
    if "expected <block end>" in problem and "'<scalar>'" in problem:
        return "the quotes end in the middle of this line; double the inner quote, or use other quotes around the text"
    if "expected <block end>" in problem:
        return "the indentation matches no line above; align this line with the other keys or list entries at its level"
    if "expected ','" in problem:
        return (
            "this line needs a comma between two entries, or quotes around a text with a colon; add the comma or "
            "the quotes"
        )
    return None


def _open_quote(text: str) -> int | None:
    """Return the line of the first quoted text that extends over a line that looks like a key."""
    lines = text.split("\n")
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.ScalarToken) and token.style in ("'", '"'):
                first, last = token.start_mark.line, token.end_mark.line
                if any(_KEY.match(line) for line in lines[first + 1 : last + 1]):
                    return int(first) + 1
    except yaml.MarkedYAMLError as error:
        if error.context and "quoted scalar" in error.context and error.context_mark:
            return int(error.context_mark.line) + 1
    return None


class _Composer(Composer, Resolver):
    """A composer for parsed events. Scanning YAML is slow, so it is done only once."""

    def __init__(self, events: list[yaml.Event]) -> None:
        Composer.__init__(self)
        Resolver.__init__(self)
        self._left = events[::-1]

    def check_event(self, *kinds: type[yaml.Event]) -> bool:
        """Whether the next event is of these kinds."""
        return bool(self._left) and (not kinds or isinstance(self._left[-1], kinds))

    def peek_event(self) -> yaml.Event:
        """Return the next event."""
        return self._left[-1]

    def get_event(self) -> yaml.Event:
        """Remove and return the next event."""
        return self._left.pop()


def _parsed(text: str) -> Iterable[yaml.Event]:
    """Return the events of a text, parsed by libyaml if possible: it is 17 times as fast as the Python parser.

    The Python parser handles texts that libyaml refuses, for its messages, and texts with characters that the two
    parsers treat differently.
    """
    if yaml.__with_libyaml__ and not _READ_OTHERWISE.search(text):
        with suppress(yaml.MarkedYAMLError):
            events = list(yaml.parse(text, Loader=yaml.CSafeLoader))
            for event in events:
                if isinstance(event, yaml.ScalarEvent):
                    event.style = event.style or None  # libyaml calls a scalar without quotes ""
            return events
    parsed: Iterable[yaml.Event] = yaml.parse(text, Loader=yaml.SafeLoader)
    return parsed


def _events(text: str, document: Document) -> Iterator[yaml.Event]:
    """Yield the YAML events of a text, up to a maximum depth. Report anchors, aliases, tags and further documents."""
    depth, documents = 0, 0
    for event in _parsed(text):
        line = event.start_mark.line + 1 if event.start_mark else 1
        another = documents >= 2 or (documents and isinstance(event, yaml.DocumentStartEvent))
        if not another or isinstance(event, yaml.StreamEndEvent):
            yield _plain(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            document.odd.add(line)
        if isinstance(event, yaml.AliasEvent):
            document.add((), f"aliases (`*{event.anchor}`) are not allowed; repeat the content instead", line=line)
        elif isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            document.add((), f"anchors (`&{event.anchor}`) are not allowed; repeat the content instead", line=line)
        tag = getattr(event, "tag", None)
        if tag is not None:
            document.add(
                (), f"tags (`{tag}`) are not allowed, because a schema is plain data; remove the tag", line=line
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                document.add((), f"more than {DEEPEST} levels of nesting; use fewer levels", line=line)
                return
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents == 2:
                document.add(
                    (),
                    "a second document starts on this line, but a schema file can have only one; remove the "
                    "second document",
                    line=line,
                )


def _plain(event: yaml.Event) -> yaml.Event:
    """Return the event without anchor and tag. An alias becomes its name as text."""
    if isinstance(event, yaml.AliasEvent):
        return yaml.ScalarEvent(
            None, None, (False, True), f"*{event.anchor}", event.start_mark, event.end_mark, style='"'
        )
    if getattr(event, "anchor", None) is None and getattr(event, "tag", None) is None:
        return event
    if isinstance(event, yaml.ScalarEvent):
        implicit = (event.style is None, event.style is not None)
        return yaml.ScalarEvent(None, None, implicit, event.value, event.start_mark, event.end_mark, style=event.style)
    assert isinstance(event, yaml.CollectionStartEvent)
    made: yaml.Event = type(event)(None, None, True, event.start_mark, event.end_mark, flow_style=event.flow_style)
    return made


def _value(node: yaml.Node, path: Path, document: Document) -> Any:
    document.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return dict(_entries(node, path, document))
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(entry, (*path, index), document) for index, entry in enumerate(node.value))
    return _scalar(node.value, node, path, document)


def _entries(node: yaml.MappingNode, path: Path, document: Document) -> Iterator[tuple[str, Any]]:
    seen: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            document.add(path, "a key must be a word, not a list or a mapping; write a word as the key", line=line)
            continue
        key = key_node.value
        if key_node.style is None and key_node.tag != f"{_TAG}str":
            document.add(
                (*path, key), f'YAML does not read the key `{key}` as a word; quote the key: "{key}"', line=line
            )
        if key in seen:
            document.add(
                (*path, key),
                f"duplicate key; this key is already on line {seen[key]}; remove one of the two keys",
                line=line,
            )
            continue
        seen[key] = line
        document.lines[*path, key] = line
        yield key, _value(value_node, (*path, key), document)


def _scalar(text: str, node: yaml.Node, path: Path, document: Document) -> Any:
    kind = node.tag.removeprefix(_TAG)
    if getattr(node, "style", None) is not None or kind == "str":
        return text
    if kind == "null":
        if not text:
            document.add(path, NOTHING, level=WARNING)
        return None
    if kind == "bool" and text.lower() in _SWITCHES:
        return _SWITCHES[text.lower()]
    if kind == "int" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "float" and _is_plain_float(text):
        return float(text)
    read_as = {"bool": "true or false", "int": "another number", "float": "another number", "timestamp": "a date"}
    document.add(path, f'{READ_OTHERWISE} `{text}` as {read_as.get(kind, kind)}; quote the text: "{text}"')
    return text


def _is_plain_float(text: str) -> bool:
    """Whether a text is kept when read as a number: 0.5 and 1.0 are, 1.10 and .inf are not."""
    try:
        return repr(float(text)) == text
    except ValueError:
        return False
