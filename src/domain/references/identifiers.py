"""Parsing and normalisation of DOIs, arXiv ids and titles.

A normalised DOI is bare and in lower case (``10.21105/jose.00016``): DOI names compare without
regard to case (DOI Handbook, section 2.4). A normalised arXiv id is ``arXiv:1706.03762`` or
``arXiv:hep-th/9901001``, without version and subject class, so that all versions of a paper
have one id (arXiv, "Understanding the arXiv identifier"). Titles are compared without regard
to case, accents, punctuation and spelling variants.
"""

import re
import unicodedata
from difflib import SequenceMatcher
from urllib.parse import unquote

_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"\\^`{|}]+")
_DOI_PREFIX = re.compile(
    r"(?:https?:/+)?(?:[\w.-]*\bdoi[\w.-]*/+)?(?:info:|urn:)?(?:doi\b)?[\s:/=]*", re.IGNORECASE
)
_URL_PREFIX = re.compile(r"https?:/|[\w-]+\.\w+/|info:", re.IGNORECASE)
# Suffixes of publishers' URLs after the DOI.
_URL_TAIL = re.compile(r"(?:/(?:full|abstract|abs|pdf|epdf|pdfdirect|html|meta|fulltext))+$|\.pdf$")
_CLOSING = {")": "(", "]": "[", ">": "<"}
_TRAILING = ".,;:!?'\"*…‘’“”«»·|"
# Typographic hyphens, and zero-width characters of PDFs at possible line breaks.
_TYPESET = str.maketrans(
    {**dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
     **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None)}
)  # fmt: skip

_APOSTROPHES = re.compile(r"(?<=\w)['’‘ʼ`´](?=\w)")
_NO_WORD = re.compile(r"[^\w]+|_+")
# Words that do not distinguish titles.
_LIGHT_WORDS = frozenset({"a", "an", "the", "and", "und", "et", "y"})

# Preprint servers that put the version at the end of the DOI.
_VERSIONED = re.compile(
    r"(10\.(?:1101|21203|26434|6084|20944|31219)/.*?\d)[./-]?v\d+(?:\.full(?:-text)?)?$"
)

_NEW = r"(?<!\d)\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?!\d)"
_OLD = r"(?<![\w-])[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}(?!\d)"
_ARXIV_ID = re.compile(rf"(?P<id>{_NEW}|{_OLD})(?:v\d+)?", re.IGNORECASE)
_ARXIV_PREFIX = re.compile(
    r"(?:https?:/+)?(?:[\w.-]*arxiv\.org/+(?:abs|pdf|html|format|src|e-print)/+"
    r"|[\w.-]*doi\.org/+10\.48550/arxiv\.|(?:doi:\s*)?10\.48550/arxiv\.|arxiv\s*:?\s*)?",
    re.IGNORECASE,
)
_ARXIV_MENTION = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf|html)/|(?:[\s,]+(?:e-?prints?|preprint|id))?"
    rf"(?:[\s,]+arxiv)?[\s:.,]*)\[?(?P<id>{_NEW}|{_OLD})",
    re.IGNORECASE,
)


def normalise_doi(text: str) -> str | None:
    """The normalised DOI of ``text``; None if it is none.

    Accepts ``doi:`` and URL forms, upper case, percent-encoding, trailing punctuation.
    """
    text = text.translate(_TYPESET).strip().strip("<>()[]{}\"' ")
    is_url = bool(_URL_PREFIX.match(text)) and not text.startswith("10.")
    if is_url or not _DOI.search(text):
        text = unquote(text)
    dress = _DOI_PREFIX.match(text)
    match = _DOI.match(text, dress.end() if dress else 0)
    if match is None or text[match.end() :].strip(_TRAILING + ")]>} "):
        return None
    bare = re.split(r"[?#]", match.group(), maxsplit=1)[0] if is_url else match.group()
    return _trimmed(bare)


def find_dois(text: str) -> tuple[str, ...]:
    """The distinct DOIs in ``text``, in order.

    A DOI broken over two lines is joined if its first half cannot be a whole one.
    """
    text = text.translate(_TYPESET)
    if "%2f" in text.lower():
        text = re.sub(r"%2f", "/", text, flags=re.IGNORECASE)
    dois: dict[str, None] = {}
    for match in _DOI.finditer(text):
        before = text[max(0, match.start() - 1) : match.start()]
        if before.isalnum() or before == ".":
            continue
        raw = match.group().split("</", 1)[0]
        raw = re.split(r"[?#&](?=\w+=)", raw, maxsplit=1)[0]
        if match.end() == match.start() + len(raw):
            raw += _second_half(raw, text[match.end() : match.end() + 80])
        if doi := _trimmed(_URL_TAIL.sub("", raw)):
            dois.setdefault(doi)
    return tuple(dois)


def _second_half(raw: str, rest: str) -> str:
    """The continuation on the next line of a DOI that cannot end like ``raw``."""
    after = re.match(r"[ \t]*\r?\n[ \t]*([\w(][^\s\"<>{}|]*)", rest)
    if after is None:
        return ""
    suffix = raw.split("/", 1)[1]
    broken_at_dot = raw.endswith(".") and not any(map(str.isdigit, suffix))
    if raw[-1] in "-_/" or (broken_at_dot and after.group(1)[0].isdigit()):
        return after.group(1)
    # 10.1145/2505515. and 2505671 below it: a sentence does not begin with such a number.
    number = re.match(r"\d{5,}", after.group(1))
    return number[0] if raw.endswith(".") and number else ""


def _trimmed(doi: str) -> str | None:
    """The DOI up to an unbalanced bracket, without trailing punctuation."""
    depth: dict[str, int] = {}
    for at, char in enumerate(doi):
        if char in _CLOSING.values():
            depth[char] = depth.get(char, 0) + 1
        elif char in _CLOSING:
            if not depth.get(_CLOSING[char]):
                doi = doi[:at]
                break
            depth[_CLOSING[char]] -= 1
    doi = doi.lower()
    while doi and (doi[-1] in _TRAILING or doi[-1] in "([<"):
        doi = doi[:-1]
    return doi if _DOI.fullmatch(doi) else None


def normalise_arxiv(text: str) -> str | None:
    """``arXiv:ID`` if ``text`` is an arXiv id (bare, ``arXiv:``, URL, DOI), else None."""
    text = text.translate(_TYPESET).strip().strip("<>()[]\"' ")
    dress = _ARXIV_PREFIX.match(text)
    start = dress.end() if dress else 0
    match = _ARXIV_ID.match(text, start)
    if match is None:
        return None
    rest = re.sub(r"^\.pdf$|^\s*\[[\w.-]+\].*$|^[?#].*$", "", text[match.end() :])
    return None if rest.strip(_TRAILING + " /)]") else _arxiv(match.group("id"))


def find_arxiv_ids(text: str) -> tuple[str, ...]:
    """The arXiv ids named as such in ``text`` (``arXiv:``, arxiv.org, DOI), each once."""
    ids = (_arxiv(match.group("id")) for match in _ARXIV_MENTION.finditer(text.translate(_TYPESET)))
    return tuple(dict.fromkeys(ids))


def _arxiv(identifier: str) -> str:
    archive, slash, number = identifier.partition("/")
    if not slash:
        return f"arXiv:{identifier}"
    return f"arXiv:{archive.lower().split('.')[0]}/{number}"


def versionless(identifier: str) -> str:
    """A preprint's DOI without its version; any other identifier as it is."""
    match = _VERSIONED.fullmatch(identifier)
    return match.group(1) if match else identifier


def as_file_name(text: str) -> str:
    """Casefolded, other characters than letters and digits as ``_``."""
    return re.sub(r"[\W_]+", "_", text.casefold()).strip("_")


def file_names_of(identifier: str) -> set[str]:
    """Likely file names (as of :func:`as_file_name`) for a DOI or arXiv id: all of it, without
    the registrant, or its last part if distinctive."""
    bare = identifier.removeprefix("arXiv:")
    ends = {bare, bare.partition("/")[2], bare.rpartition("/")[2]}
    telling = {end for end in ends if len(end) >= 6 and re.search(r"\d{2}", end)}
    return {as_file_name(name) for name in telling | {identifier}}


def normalise_title(title: str) -> str:
    """Lower case, punctuation as blanks, apostrophes dropped: ``foos bar baz``."""
    text = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", title).casefold())
    return " ".join(_NO_WORD.sub(" ", text).split())


def folded(text: str) -> str:
    """``text`` in lower case without accents; ligatures are spelled out."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def letters_and_digits(text: str) -> str:
    """Letters and digits of the folded text, independent of spacing and hyphenation."""
    return "".join(filter(str.isalnum, folded(text)))


def is_distinctive(title: str) -> bool:
    """Whether a title is long enough to identify a work: 4 words and 20 characters.

    In scripts without spaces 10 characters suffice.
    """
    words = normalise_title(title).split()
    if sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" for char in title) >= 10:
        return True
    return len(words) >= 4 and sum(map(len, words)) >= 20


def distinctive_words(title: str) -> tuple[str, ...]:
    """The words of a title with more than three letters, folded."""
    return tuple(word for word in normalise_title(folded(title)).split() if len(word) > 3)


def main_title(title: str) -> str | None:
    """The title without its subtitle; None if it has none."""
    match = re.match(r"(.+?)(?::\s|\s[-–—]\s|\s*—\s*)\s*\S", title, re.DOTALL)
    return match.group(1).strip() if match else None


def same_title(one: str, other: str) -> bool:
    """Whether two titles differ only in spelling (colour, color; analyze, analyse), plural,
    articles, spaces and hyphens.

    Stricter than an edit ratio: *type 1* and *type 2*, *men* and *women*, *hypothermia* and
    *hyperthermia* stay different.
    """
    if letters_and_digits(one) == letters_and_digits(other):
        return bool(letters_and_digits(one))
    left, right = normalise_title(folded(one)).split(), normalise_title(folded(other)).split()
    if not (is_distinctive(one) and is_distinctive(other)):
        return False
    changes = [
        (left[a:b], right[c:d])
        for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    return len(changes) <= 3 and all(_same_words(*change) for change in changes)


def _same_words(left: list[str], right: list[str]) -> bool:
    left = [word for word in left if word not in _LIGHT_WORDS]
    right = [word for word in right if word not in _LIGHT_WORDS]
    if "".join(left) == "".join(right):
        return True
    return len(left) == len(right) and all(map(_is_variant, left, right))


def _is_variant(one: str, other: str) -> bool:
    """Whether two words are spelling variants: one letter more (plural, ``ou``), s for z."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 5 or not (one.isalpha() and other.isalpha()) or short[:2] != long[:2]:
        return False
    if len(short) == len(long):
        return short.replace("z", "s") == long.replace("z", "s")
    return any(long[:at] + long[at + 1 :] == short for at in range(2, len(long)))
