"""Text without the traces of markup, with the offsets of its characters."""

from typing import NamedTuple

from citeloom.domain.verification.drafts.draft import JOINER

_TIGHT_BEFORE = frozenset(",;.:)]’'")
_TIGHT_AFTER = frozenset("([")


class CompactText(NamedTuple):
    """``text`` is ``prose`` with one space for white space, ``\\n`` between paragraphs, none
    before punctuation that markup moved away, and no joiners; ``offsets`` are those of its
    characters in ``prose``."""

    text: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, prose: str) -> "CompactText":
        chars: list[str] = []
        offsets: list[int] = []
        breaks = 0
        for at, char in enumerate(prose):
            if char == JOINER:
                continue
            if char.isspace():
                breaks += char == "\n"
                if chars and chars[-1] in " \n":
                    if breaks > 1:
                        chars[-1] = "\n"
                    continue
                chars.append(" ")
            else:
                breaks = 0
                if (
                    chars
                    and chars[-1] == " "
                    and (char in _TIGHT_BEFORE or (len(chars) > 1 and chars[-2] in _TIGHT_AFTER))
                ):
                    chars.pop()
                    offsets.pop()
                chars.append(char)
            offsets.append(at)
        return cls("".join(chars), tuple(offsets))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the prose of ``text[start:end]``, which is not empty."""
        return self.offsets[start], self.offsets[end - 1] + 1
