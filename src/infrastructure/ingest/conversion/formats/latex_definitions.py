r"""Commands and environments that a LaTeX source defines itself: ``\newcommand``, ``\def``,
``\NewDocumentCommand``, ``\DeclareMathOperator``, ``\newenvironment``."""

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple


class Command(NamedTuple):
    """``arguments`` are ``*``, ``[`` or ``{`` for each, in pylatexenc's notation; ``defaults``
    replace missing ones."""

    arguments: str
    defaults: Sequence[str]
    body: str

    def written(self, given: Sequence[str]) -> str:
        text = self.body
        for at, default in enumerate(self.defaults):
            text = text.replace(f"#{at + 1}", "".join(given[at : at + 1]) or default)
        return text


Commands = dict[str, Command]

_MOST_CHARACTERS: Final = 2**22
_LONGEST: Final = 10_000
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_NAME: Final = r"\s*\{?\s*\\(?P<NAME>[A-Za-z@]+)\s*\}?\s*"
_COUNT: Final = r"(?:\[(?P<count>\d)\])?\s*(?:\[(?P<default>[^\[\]]*)\])?\s*\{"
_DEFINITION: Final = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?"
    + _NAME.replace("NAME", "name")
    + _COUNT
    + r"|\\[egx]?def\s*\\(?P<plain>[A-Za-z@]+)\s*(?P<hashes>(?:#\d)*)\{|\\DeclareMathOperator\*?"
    + _NAME.replace("NAME", "operator")
    + r"\{|\\(?:New|Renew|Provide|Declare)DocumentCommand"
    + _NAME.replace("NAME", "document")
    + r"\{(?P<spec>(?:[^{}]|\{[^{}]*\})*)\}\s*\{"
)
_SPEC: Final = re.compile(r"\s*\+?(?:(?P<kind>[mos])|O\{(?P<default>[^{}]*)\})")
_ENVIRONMENT: Final = re.compile(r"\\newenvironment\*?\s*\{(?P<name>[A-Za-z]+\*?)\}\s*" + _COUNT)
_ENDS: Final = re.compile(r"\\(?:begin|end)\{[^{}]+\}")
_GIVEN: Final = {
    "{": re.compile(r"\s*\{(?P<group>)"), "[": re.compile(r"\s*\[([^\[\]]*)\]"),
}  # fmt: skip


def own_commands(source: str, kept: Collection[str]) -> tuple[Commands, str]:
    """The commands that a source defines, but for the ``kept`` ones, and the source without their
    definitions."""
    own: Commands = {}
    rest, at = "", 0
    for found in _DEFINITION.finditer(source):
        end = closing(source, found.end())
        name = found["name"] or found["plain"] or found["operator"] or found["document"]
        if found.start() < at or end is None or name in kept:
            continue
        if (command := _command(found, source[found.end() : end])) is not None:
            own[name] = command
            rest, at = rest + source[at : found.start()], end + 1
    return own, rest + source[at:]


def _command(found: re.Match[str], body: str) -> Command | None:
    if found["operator"]:
        return Command("", (), rf"\mathrm{{{body}}}")
    if found["document"] is None:
        return _counted(found, body, (found["hashes"] or "").count("#"))
    arguments, defaults, at = "", list[str](), 0
    while (one := _SPEC.match(found["spec"], at)) is not None:
        arguments += {"m": "{", "s": "*"}.get(one["kind"], "[")
        defaults.append(one["default"] or "")
        at = one.end()
    is_known = not found["spec"][at:].strip() and r"\If" not in body
    return Command(arguments, defaults, body) if is_known else None


def _counted(found: re.Match[str], body: str, hashes: int = 0) -> Command:
    count = int(found["count"] or 0) or hashes
    first = "[" if count and found["default"] is not None else ""
    defaults = [found["default"] or "", *[""] * (count - 1)] if count else []
    return Command(first + "{" * (count - len(first)), defaults, body)


def closing(source: str, at: int) -> int | None:
    """Where the brace closes that is open at a place, at most 10,000 characters on."""
    depth = 1
    for brace in _BRACE.finditer(source, at, at + _LONGEST):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return None


def with_environments(source: str, own: Commands) -> str:
    """The source with its own environments, and the commands that begin or end one (``\\be``),
    written out."""
    source = _with_own_environments(source)
    aliases = {name: one.body.strip() for name, one in own.items() if not one.arguments}
    aliases = {name: body for name, body in aliases.items() if _ENDS.fullmatch(body)}
    if not aliases:
        return source
    for name in aliases:
        del own[name]
    used = re.compile(rf"\\({'|'.join(map(re.escape, aliases))})(?![A-Za-z@])")
    return used.sub(lambda match: aliases[match[1]], source)


def _with_own_environments(source: str) -> str:
    defined: dict[str, tuple[Command, str]] = {}
    rest, kept = "", 0
    for found in list(_ENVIRONMENT.finditer(source)):
        middle = closing(source, found.end())
        opened = None if middle is None else _GIVEN["{"].match(source, middle + 1)
        last = closing(source, opened.end()) if opened is not None else None
        if opened is not None and last is not None:
            begin = _counted(found, source[found.end() : middle])
            defined[found["name"]] = (begin, source[opened.end() : last])
            rest, kept = rest + source[kept : found.start()], last + 1
    source = rest + source[kept:]
    longest = max((len(one.body) + len(end) for one, end in defined.values()), default=0)
    used = re.compile(rf"\\(begin|end)\s*\{{({'|'.join(map(re.escape, defined)) or '(?!)'})\}}")
    for _ in range(3):  # one may stand for another
        parts, at, uses = list[str](), 0, list(used.finditer(source))
        if not uses or len(uses) * longest > _MOST_CHARACTERS:
            break
        for found in uses:
            begin, end = defined[found[2]]
            parts.append(source[at : found.start()])
            given, at = _given(source, found.end(), begin.arguments if found[1] == "begin" else "")
            parts.append(begin.written(given) if found[1] == "begin" else end)
        source = "".join([*parts, source[at:]])
    return source


def _given(source: str, at: int, arguments: str) -> tuple[list[str], int]:
    """The arguments behind a place, and where they end."""
    given: list[str] = []
    for kind in arguments:
        found = _GIVEN[kind].match(source, at)
        end = closing(source, found.end()) if found is not None and kind == "{" else None
        if found is not None and kind == "[":
            given.append(found[1])
            at = found.end()
        elif found is not None and end is not None:
            given.append(source[found.end() : end])
            at = end + 1
        else:
            given.append("")
    return given, at
