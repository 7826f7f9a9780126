"""Word tokenisation for search, language detection, and estimates of token counts.

A word is what a reader would call one: *IL-6*, *α-synuclein*, *3.5*, *CD4+*, *U.S.*,
*10.1000/xyz*. It is indexed under its parts (*alpha*, *synuclein*) and spelling variants: parts
joined (*alphasynuclein*), letters and numbers apart (*p*, *53*), so that IL-6, IL 6 and IL6,
or co-operate and cooperate, match. Ligatures, sub- and superscripts, all kinds of hyphen and
single Greek letters (α is *alpha*) are normalised first. Scripts without spaces, and Korean, whose
words end in particles, give characters and bigrams.

Model-independent estimate of token counts, so that splits by it are the same everywhere.
Vocabularies of 30,000 to 200,000 pieces give about 1.3 tokens a word of English prose.

Language detection by function words, and stop words of BM25. Only function words are listed: longer
stop lists contain *research*, *results*, *effect*, which papers are searched for.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from .scripts import SUPER_DIGITS, takes_notes

_HYPHENS: Final = "\\-\u00ad\u2010-\u2013\u2043\u2212"
_QUOTES: Final = "'\u2018\u2019\u02bc"
# Combining marks and vowel signs, which ``re`` does not take for letters.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff\u1000-\u109f\u3099\u309a"
)
# Superscript plus and minus are part of Ca²⁺ and 10⁻³.
#: Letters of scripts without spaces, and of Korean, as a range of a character class.
UNSPACED: Final = (
    "\u0e01-\u0e4e\u0e81-\u0ecd\u1780-\u17d3\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff"
)
_LETTER: Final = f"[\\w{_MARKS}{UNSPACED}\u207a\u207b]"
_DOI: Final = r"10\.\d{4,9}/[^\s\"<>\u201c\u201d]*[^\s\"<>\u201c\u201d.,;:!?)\]}'\u2019]"
_JOINT: Final = (
    f"[{_HYPHENS}][ \\t]*\\n\\s*|[{_QUOTES}\u2032]?[{_HYPHENS}]|[{_QUOTES}.:@&+\u00b7\u2032]"
    r"|,(?=\d)(?<=\d,)|/|(?<=\d)(?:\^|\*\*)\{?[-\u2212]?(?=\d)"
)
_NUMBERS_OF_NOTES: Final = rf"[{SUPER_DIGITS}]+(?!{_LETTER})"
_WORD: Final = re.compile(
    f"{_DOI}"
    rf"|(?<![\w.])\.\d+{_LETTER}*"
    rf"|(?!{_NUMBERS_OF_NOTES}){_LETTER}+"
    rf"(?:(?:{_JOINT})(?!{_DOI}|[{SUPER_DIGITS}]){_LETTER}+)*(?:\+{{1,2}}(?!\w)|\#(?!\w))?"
)
_HYPHEN: Final = re.compile(f"[{_HYPHENS}](?:[ \\t]*\\n\\s*)?")
_APOSTROPHE: Final = re.compile(f"[{_QUOTES}\u2032]")
_POWER: Final = re.compile("(?<=[0-9])([\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u207b]+)")
_CARET: Final = re.compile(r"(?:\^|\*\*)\{?(?=[-\u2212]?[0-9])")
_RAISED: Final = re.compile("(?<=[^\\W\\d_])([\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+)$")
_THOUSANDS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
_DECIMAL: Final = re.compile(r"(?<![\d.,\u00b7])(\d+)[,\u00b7](\d+)(?![,\u00b7]?\d)")
_GREEK: Final = re.compile("[\u0370-\u03ff\u1f00-\u1fff]+")
_NAMES: Final = {
    chr(0x3B1 + n): name
    for n, name in enumerate(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
        "sigma sigma tau upsilon phi chi psi omega".split()
    )
}
_PART: Final = re.compile(rf"[0-9]+(?:\.[0-9]+)*(?:\^-?[0-9]+)?|(?![0-9]){_LETTER}{_LETTER}*")
_RUN: Final = re.compile(f"[{UNSPACED}]+")
_SIGN: Final = re.compile(r"(?:\+{1,2}|\#)$")
# Runs of letters or of digits.
_KIND: Final = re.compile(r"[0-9]+|[^\W\d_]+")
_DIGIT: Final = re.compile("[0-9]")
_ACRONYM: Final = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
# English clitics after an apostrophe, which are not terms.
_CLITICS: Final = frozenset({"re", "ve", "ll", "d", "m"})
# Compounds of more parts are indexed by parts, adjacent pairs and as a whole only.
MAX_PARTS_FOR_ALL_RUNS: Final = 4


class TextWord(NamedTuple):
    """A word at ``start:end``."""

    start: int
    end: int
    text: str


class Forms(NamedTuple):
    """The unstemmed terms of a word: its ``parts``, and ``others`` for spelling variants."""

    parts: tuple[str, ...]
    others: tuple[str, ...]


def words(text: str) -> Iterator[TextWord]:
    """The words of a text, in order."""
    for match in _WORD.finditer(text):
        yield TextWord(match.start(), match.end(), match.group())


def matching_spans(text: str, is_match: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Spans of the words that match; the predicate is called once for each distinct word."""
    cache: dict[str, bool] = {}
    spans = []
    for match in _WORD.finditer(text):
        word = match.group()
        matches = cache.get(word)
        if matches is None:
            matches = cache[word] = is_match(word)
        if matches:
            spans.append(match.span())
    return spans


@lru_cache(maxsize=50_000)
def forms(word: str) -> Forms:
    """The terms of a word from ``words``; none for one without letters and digits."""
    if word.startswith("10.") and "/" in word:
        whole = unicodedata.normalize("NFKC", word).casefold()
        return Forms(tuple(re.findall(r"[^\W_]+", whole)), (whole,))
    plain, raised = _plain(word)
    if _ACRONYM.fullmatch(plain):
        return Forms((plain.replace(".", ""),), ())
    plain, clitic = _without_clitic(plain)
    parts, others = _parts(plain)
    if not parts:
        return Forms((), ())
    if clitic:
        others.append("".join(parts) + clitic)
    others += _joined(parts)
    if sign := _SIGN.search(plain):
        others.append(parts[-1] + sign[0])
    if raised:
        others.append(parts[-1] + raised)
    for part in parts:
        if not part[0].isdigit() and _DIGIT.search(part):
            others += _KIND.findall(part)
    return Forms(tuple(parts), tuple(dict.fromkeys(others)))


def normalized_spelling(text: str) -> str:
    """Normalised spelling: casefolded, one kind of hyphen (also at line ends) and apostrophe,
    ligatures, sub- and superscripts as plain letters and digits, Greek symbols by name between
    hyphens."""
    text = _POWER.sub(lambda m: "^" + unicodedata.normalize("NFKC", m[1]), text)
    text = _CARET.sub("^", text)
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _HYPHEN.sub("-", text)
    text = _APOSTROPHE.sub("'", text)
    return _GREEK.sub(_spelled, text)


# Letters that Unicode does not decompose and that are typed without their stroke, ring or
# ligature. Unicode's confusables (UTS 39) have more; these are in names of people and places.
_LETTERS_OF_NAMES: Final = str.maketrans(
    {
        "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ŋ": "n", "ı": "i", "ɨ": "i",
        "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ə": "e", "ɓ": "b", "ɗ": "d", "ƙ": "k",
        "Ł": "L", "Ø": "O", "Đ": "D", "Ð": "D", "Ħ": "H", "Ŧ": "T", "Ŋ": "N", "Ɨ": "I",
        "Æ": "AE", "Œ": "OE", "ẞ": "SS", "Þ": "TH", "Ə": "E", "Ɓ": "B", "Ɗ": "D", "Ƙ": "K",
    }
)  # fmt: skip


_ACCENTS: Final = re.compile("[\u0300-\u036f]+")


def without_accents(text: str) -> str:
    """Latin, Greek and Cyrillic letters without diacritics, strokes and ligatures; other scripts
    unchanged. For search alone: what is shown stays as printed."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart)).translate(_LETTERS_OF_NAMES)


def _plain(word: str) -> tuple[str, str]:
    """The normalised word, and the superscript number at its end, if any."""
    raised = _RAISED.search(word)
    text = normalized_spelling(word[: raised.start()] if raised else word)
    text = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), text)
    text = _DECIMAL.sub(r"\1.\2", text)
    if text.startswith("."):
        text = "0" + text
    is_power = raised is not None and not takes_notes(word[: raised.start()])
    return text, unicodedata.normalize("NFKC", raised[1]) if raised and is_power else ""


def _spelled(match: re.Match[str]) -> str:
    """Names of one or two Greek letters; longer runs are Greek words."""
    letters = match[0]
    if len(letters) > 2 or not _NAMES.keys() >= set(letters):
        return letters
    return "-" + "-".join(_NAMES[letter] for letter in letters) + "-"


def _without_clitic(text: str) -> tuple[str, str]:
    head, apostrophe, tail = text.rpartition("'")
    if not apostrophe or not head:
        return text, ""
    if tail == "s":
        return head, ""
    if tail == "t":
        return head.removesuffix("n"), "n" + tail
    return (head, "") if tail in _CLITICS else (text, "")


def _parts(text: str) -> tuple[list[str], list[str]]:
    parts: list[str] = []
    others: list[str] = []
    for match in _PART.finditer(text):
        for piece in match[0].split("_"):
            at = 0
            for run in _RUN.finditer(piece):
                parts += filter(None, [piece[at : run.start()]])
                parts += run[0]
                others += (a + b for a, b in pairwise(run[0]))
                at = run.end()
            parts += filter(None, [piece[at:]])
    return parts, others


def unspaced_pairs(word: str) -> list[str]:
    """Adjacent characters of a word in scripts without spaces."""
    return [a + b for run in _RUN.findall(word) for a, b in pairwise(run)]


def _joined(parts: list[str]) -> list[str]:
    count = len(parts)
    if count < 2 or any(_RUN.match(part) for part in parts):
        return []
    lengths = range(2, count + 1) if count <= MAX_PARTS_FOR_ALL_RUNS else (2, count)
    return [
        _run(parts[start : start + length])
        for length in lengths
        for start in range(count - length + 1)
    ]


def _run(parts: list[str]) -> str:
    """Parts joined; numbers stay separated, since 10-20 is not 1020."""
    text = parts[0]
    for part in parts[1:]:
        text += f"-{part}" if text[-1].isdigit() and part[0].isdigit() else part
    return text


# A token is up to 7 Latin letters, up to 3 digits, one character of CJK, kana or hangul, up to
# 3 letters of other scripts, or any other mark; longer words are several tokens.
_PIECE = re.compile(
    r"[A-Za-z]{1,7}|[0-9]{1,3}|[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W\d_A-Za-z\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]{1,3}|\w|[^\w\s]"
)


def count_tokens(text: str) -> int:
    """At least one for each word, number and punctuation mark; additive over texts separated by
    white space."""
    return len(_PIECE.findall(text))


_LISTS = {
    "en": """
    a about above after again against all also am an and any are as at be because been before
    being below between both but by can could did do does doing down during each few for from
    further had has have having he her here hers herself him himself his how i if in into is it
    its itself just may me might more most must my myself no nor not now of off on once only or
    other our ours ourselves out over own same shall she should so some such than that the their
    theirs them themselves then there these they this those through thus to too under until up
    upon very was we were what when where which while who whom why will with would you your
    yours yourself
    """,
    "de": """
    aber alle als also am an auch auf aus bei bis da damit dann das dass dem den der des die
    dies diese diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es
    für hat hatte haben ihm ihr ihre im in ist kann man mit nach nicht noch nur ob oder ohne
    sehr sein seine sich sie sind so über um und uns unter von vor war waren was wenn wer werden
    wie wir wird wurde wurden zu zum zur zwischen
    """,
    "fr": """
    ai au aux avec c ce ces cette comme d dans de des donc du elle elles en entre est et être
    été il ils je l la le les leur leurs lui mais me même mes moi mon n ne nos notre nous on ont
    ou où par pas plus pour qu que qui s sa sans se ses si son sont sous sur ta te tes toi ton
    tu un une vos votre vous y
    """,
    "es": """
    a al algo ante como con contra cual cuando de del desde donde durante e el ella ellas ellos
    en entre era es esa ese eso esta este esto estos fue ha han hasta hay la las le les lo los
    más me mi muy ni no nos o otra otro para pero por porque que quien se ser si sin sobre son
    su sus también tan te tiene todo un una uno y ya
    """,
    "it": """
    a ad al alla alle anche c che chi ci come con cui da dal dalla dei del della delle di dove
    e ed era essere gli ha hanno i il in io la le lei lo loro lui ma mi nei nel nella noi non o
    per più quale quando quella quello questa questo se si sia sono su sua sue sul sulla suo tra
    un una uno
    """,
    "pt": """
    a ao aos as até com como da das de dela dele do dos e ela elas ele eles em entre era essa
    esse esta este eu foi há isso isto já lhe mais mas me mesmo muito na nas não nem no nos nós
    o os ou para pela pelo por qual quando que quem se sem ser seu seus só sua suas também te
    um uma
    """,
    "nl": """
    aan al als bij dan dat de den der des deze die dit doch door dus een en er ge haar had heb
    hebben heeft hem het hier hij hoe hun ik in is je kan maar me meer men met mij moet na naar
    niet nog nu of om omdat ons ook op over te ten tot uit van veel voor want was wat we wel
    werd wie wij worden wordt zal ze zich zij zijn zo zonder zou
    """,
    "sv": """
    alla att av blev bli de dem den denna deras dess det detta dig din du där efter ej eller en
    er ett från för ha hade han har hon hos här i icke ingen inte jag kan kunde man med mellan
    men mig min mot ni nu när någon och om oss på sig sin sitt skulle som så till under upp ut
    utan vad var vi vid vilka vilken är över
    """,
    "ru": """
    а без более бы был была были было быть в вам вас во вот все всего вы где да для до его ее
    если есть еще же за и из или им их к как ко когда которые который кто ли мне мы на над не
    него нет ни но о об он она они от по под при с со так также такой там то того только том
    ту ты у уже чем что чтобы эта эти это этого этот я
    """,
    "da": """
    af at blev blive både da de den denne der deres det dette disse du efter eller en er et for fra
    ham han har havde hans hendes hun hvad hvem hver hvis hvor hvordan i ikke ind jeg kan kun men
    mange med mellem mere meget nogle nu når og også om op os over på samt sig sin skal som så til
    ud under var ved vi vil være været
    """,
    "no": """
    av at ble bli blitt både da de den denne der deres det dette disse du etter eller en er et for
    fra ham han har hadde hans hennes hun hva hvem hver hvis hvor hvordan i ikke inn jeg kan kun men
    mange med mellom mer meget noen nå når og også om opp oss over på samt seg sin skal som så til
    ut under var ved vi vil være vært å
    """,
    "fi": """
    ei eivät ennen eri hän he ja jo joiden joissa joita joka jolloin jonka jos jossa jota jotka
    kanssa koska kuin kun lisäksi me mikä mukaan mutta myös mitä ne niiden niin noin nämä näiden
    näin oli olivat olisi olla ollut on ovat se sekä sen siitä sitä sillä tai te tämä tämän tässä
    vaan vain välillä vielä voi voidaan voivat yli että
    """,
    "hu": """
    a az abban ahol akkor alapján alatt ami amely amelyek azok azonban azt be csak de egy egyik
    ehhez ekkor el és ez ezek ezen ezért ezt fel ha hanem hogy illetve is itt ki kell között le
    lehet már meg mellett mert még mind mint míg nem ne olyan pedig s sem szerint több tehát úgy
    után utána vagy valamint van vannak volt voltak
    """,
    "ro": """
    acest aceasta această aceste acestea acestui al ale asupra au avea că când cât ce cea cei cel
    cele cu cum de deci decât din dintre după ea ei el este fi fiind fost în între îi își la lor lui
    mai nu o pe pentru prin printr sau se spre sub sunt și să și un unei unele unor unui către ca
    dacă dar
    """,
    "tr": """
    ancak ben bir biri biz bu bunun bunu bunlar da daha de değil diğer eden en gibi göre
    hem hangi her için ile ise kadar ki mi mu mü ne neden o olan olarak olduğu oldukça olup
    onun onlar sonra şu üzere üzerinde var ve veya ya yani yok çok
    """,
    "el": """
    αλλά ανά από αυτά αυτή αυτό αυτός αυτών για δεν είναι είχε ενώ έχει έχουν ήταν και κατά
    μετά μεταξύ μια μία μιας μόνο μπορεί όπως όταν ότι οποία οποίο ποιο πολύ που προς πως σαν στα
    στη στην στις στο στον στους στων συν την της τις τον του τους των ώστε
    """,
    "ar": """
    أن أو أي إذا إلا إلى إن التي الذي الذين بعد بل بين تلك ثم حتى حول حيث خلال دون ذلك سوف
    عليه عليها على عن عند عندما غير فقط في فيه فيها قبل قد كان كانت كل كما كيف لا لقد لكن لم لن
    له لها ليس ما مع من منذ منه منها نحو هذا هذه هل هم هناك هو هي وقد ولا وهو وهي وفي ومن
    """,
}

STOP_WORDS: Mapping[str, frozenset[str]] = {
    k: frozenset(v.casefold().split()) for k, v in _LISTS.items()
}
#: Words without content in a text whose language is not known. Short words of the other languages
#: are English ones: *mind*, *mint*, *volt*.
COMMON_WORDS: Final = frozenset().union(
    *(STOP_WORDS[code] for code in ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"))
)
# Of these two either is right: function words hardly tell them apart, and stems are alike.
_ALIKE: Final = frozenset({"da", "no"})
# Scripts of one language each; Chinese is Han without kana.
_SCRIPTS: Final = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("th", re.compile("[\u0e01-\u0e4e]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
)
_LEAST_OF_SCRIPT: Final = 20

_LETTERS = re.compile(r"[^\W\d_]+")
_SAMPLE = 20_000
_MIN_HITS = 8


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of the language of the script, or of the listed language whose function words
    are most frequent.

    None if the text is too short, in another language, or undecided: the best one must have 8
    hits, 8 % of the words, and a quarter more than the second.
    """
    sample = text[:_SAMPLE].casefold()
    words = Counter(_LETTERS.findall(sample))
    if code := _language_of_script(sample, sum(map(len, words.elements()))):
        return code
    total = sum(words.values())
    hits = sorted(
        ((sum(words[w] for w in stop), code) for code, stop in STOP_WORDS.items()), reverse=True
    )
    best, code = hits[0]
    second = next(n for n, other in hits[1:] if not {code, other} <= _ALIKE)
    if best < _MIN_HITS or best < 0.08 * total or best < 1.25 * second:
        return None
    return code


def _language_of_script(text: str, letters: int) -> str | None:
    """The language that alone has a script, where a fifth of ``letters`` letters are of it and
    most are of such scripts."""
    counts = {code: len(script.findall(text)) for code, script in _SCRIPTS}
    if sum(counts.values()) < max(_LEAST_OF_SCRIPT, letters / 2):
        return None
    return next((code for code, count in counts.items() if 5 * count >= letters), None)


# As many letters of another script are symbols, as in a formula.
_SYMBOLS = 3
# Words of names, in titles and questions of any language.
_PARTICLES = frozenset("van von der den de di da du del la le el des dos das al en".split())
# Words that begin questions, and no English text; not all of these languages have a list.
_ASKING = frozenset(
    "cuál cuáles cuánta cuántas cuánto cuántos cómo dónde qué quién quiénes warum wieviel wieviele "
    "welche welcher welches combien pourquoi quel quelle quelles quels perché quanti quante quanta "
    "quanto quantos quantas hoeveel waarom welke varför vilka vilken hvorfor hvilke hvilken "
    "dlaczego kolik proč nasıl kuinka miksi miért hogyan".split()
)


def is_foreign_to_english(question: str) -> bool:
    """Whether a question seems to be in another language than English: most of its letters are of
    another script, it begins with a question word of another language, or function words of one of
    the listed languages outweigh the English ones."""
    letters = [char for char in question if char.isalpha()]
    latin = sum("LATIN" in unicodedata.name(char, "") for char in letters)
    if 2 * latin < len(letters) > _SYMBOLS:
        return True
    found = _LETTERS.findall(question.casefold())
    if "¿" in question or (found and found[0] in _ASKING):
        return True
    words = {word for word in found if len(word) > 1}
    english = STOP_WORDS["en"]
    least = max(1, 2 * len(words & english))
    return any(
        len(words & stop) > least and words & stop > words & stop & (english | _PARTICLES)
        for code, stop in STOP_WORDS.items()
        if code != "en"
    )
