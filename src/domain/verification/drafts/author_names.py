"""Patterns of the author names and dates of typed citations, and the words that are no names.

After APA 7 (8.10 to 8.17), Chicago's author-date system (13.102 to 13.128) and Harvard.
"""

import re

_UPPER = r"[^\W\d_a-zß-öø-ÿ]"
_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f])"
_PARTICLE = (
    r"(?:v[ao]n|vom|der|den|de|del|della|di|da|dos|das|do|du|la|le|les|ter|ten|te|zu|zum|zur|af|av|"
    r"al|el|bin|ibn|['’]t)"
)
# Not the end of a possessive ("Boeing's"); ’t Hart, O’Brien, D'Ignazio, Toffano-Nioche.
_WORD = (
    rf"(?:(?:[dDlLO]['’])?{_UPPER}{_LETTER}+(?:(?:['’](?!s\b)|[-\u2010\u2011]){_LETTER}+){{0,3}}"
    rf"|[A-Z]{{2,8}}\b|{_UPPER}['’](?!s\b){_LETTER}+)"
)
# Middle initials belong to the name: Kai J. Miller.
_MORE = rf"(?:\s(?:{_UPPER}\.\s?){{0,3}}(?:{_PARTICLE}\s){{0,2}}{_WORD})"
_NAME = rf"(?:{_PARTICLE}\s){{0,3}}{_WORD}{_MORE}{{0,4}}"
_ORGANISATION = (
    rf"(?:[A-Z]\s)?{_WORD}(?:\s(?:(?:of|for|on|in|and|the|to)\s){{0,2}}{_WORD}){{0,7}}"
    r"(?:\s(?:core|project|development)?\s?(?:team|developers?|contributors|community|group|"
    r"collaboration|consortium|authors|project))?(?:,\s(?:Inc|Ltd|LLC|GmbH|Corp|Co)\b\.?)?"
    r"(?:\s\[[A-Z][A-Za-z]{1,9}\])?"
)
_INITIALS = rf"(?:{_UPPER}\.[\s-]?){{1,4}}"
_PERSON = rf"(?:{_INITIALS})?{_NAME}(?:,?\s(?:{_UPPER}\.[\s-]?){{1,4}}(?=[,;\s)\]&]))?"
_LAST = r",?\s(?:&|and|und|et(?!\sal\b)|y|e|en|og|och|i)\s"
_OTHERS = (
    r"(?:,?\set\.?\sal\b\.?|,?\s(?:and|&)\s(?:others|colleagues|co-?workers|associates)\b|"
    r"\su\.\s?a\.|,?\sy\scols\.)"
)
_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_UNDATED = (
    r"(?:n\.\s?d\.|no\sdate|s\.\s?d\.|o\.\s?J\.|in\s(?:press|print|prep\.|preparation|review)|im\sDruck|"
    r"im\sErscheinen|forthcoming|to\sappear|submitted|unpublished|under\sreview)"
)
# Neither a range of years (1912–1954), nor a number with a unit or decimals.
_DATE = (
    rf"(?:{_YEAR}(?:/{_YEAR})?(?:[a-h](?:\s?,\s?[a-h])*)?(?![\w%=]|\s?[-–/]\s?\d|[.,]\d)"
    rf"|{_UNDATED})"
)
_DATES = rf"{_DATE}(?:(?:\s?[,;]\s?|\s(?:and|&)\s){_DATE})*"

_LISTED = rf"(?:,\s{_PERSON}){{0,8}}"
PARENTHETICAL = re.compile(
    rf"(?<![\w'’.-])(?:(?P<people>{_PERSON}(?:{_LISTED}{_OTHERS}|{_LISTED}{_LAST}{_PERSON})?)"
    rf"|(?P<body>{_ORGANISATION}))(?:\s?,\s?|\s)\(?(?P<dates>{_DATES})",
)
_NARRATED = rf"(?:,\s{_NAME}){{0,8}}"
NARRATIVE = re.compile(
    rf"(?<![\w'’.-])(?P<people>(?:{_INITIALS})?{_NAME}(?:{_NARRATED}{_OTHERS}|{_NARRATED}{_LAST}{_NAME})?)"
    rf"(?:['’]s?)?,?\s?[(\[]\s?(?P<dates>{_DATES})(?P<rest>(?:\s?[,:;][^()\[\]\n]{{0,300}})?)[)\]](?!\s?\d{{4}})"
)
# In the sentence without brackets only with "et al." or "&": *Paris and London, 2019* is none.
BARE = re.compile(
    rf"(?<![\w'’.-])(?P<people>{_NAME}(?:{_NARRATED}{_OTHERS}|{_NARRATED},?\s&\s{_NAME}))"
    rf",?\s(?P<dates>{_DATE})"
)
DATE = re.compile(_DATE)
YEAR = re.compile(_YEAR)
OTHERS = re.compile(_OTHERS)
SEPARATOR = re.compile(rf"{_LAST}|,\s")
INITIALS = re.compile(rf"(?:^|,?\s){_INITIALS}$|^{_INITIALS}")
ACRONYM = re.compile(r"\s?\[[A-Z][A-Za-z]{1,9}\]$")

# Words at the beginning of a sentence or citation before a name.
_OPENING = frozenset(
    """
    a an the this these that those in on at as by for from to of and or but if when while where
    whereas since because although though after before with within without see also cf compare e.g
    i.e however moreover furthermore similarly likewise additionally recently later earlier first
    second third finally then thus hence therefore following according both like unlike using per
    contrary contrast here there indeed instead meanwhile notably conversely consequently until upon
    through during under over against between among we they it he she one two three four many most
    several some other others such what which who how why does do did is are was were has have had
    could might should would not only even still so yet nor either neither again
    reviewed cited quoted adapted citing reference references study studies work research paper
    findings results
    authors author researchers und oder siehe vgl nach laut wie auch voir selon véase según
    """.split()
)
# Proper nouns before a year that are no authors: the calendar, parts of a document, products, laws,
# events, places.
_NO_AUTHOR = frozenset(
    """
    january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
    saturday sunday spring summer autumn fall winter easter christmas quarter semester term week
    day month year years januar februar märz mai juni juli oktober dezember figure figures fig
    figs table tables tab section sections sec chapter chapters ch equation equations eq eqs
    appendix part step stage phase box panel listing algorithm theorem lemma definition example
    experiment model version release edition vol volume issue no nr number page pages note notes
    item level grade type class category group sample case question windows office word excel
    powerpoint python java javascript ubuntu debian android ios macos matlab stata spss linux
    unix fortran cobol photoshop autocad visual studio act acts law laws bill directive
    regulation treaty convention declaration agreement protocol constitution decree ordinance
    code resolution amendment olympics olympic games cup championship championships conference
    congress symposium workshop summit festival election elections census survey expedition war
    crisis pandemic epidemic earthquake hurricane revolution agenda horizon vision covid germany
    france italy spain portugal austria switzerland netherlands belgium denmark sweden norway
    finland poland russia ukraine china japan india korea brazil mexico canada australia europe
    asia africa america usa us uk eu england scotland wales berlin london paris tokyo york
    vienna amsterdam rome madrid beijing moscow chicago boston washington press publishers
    verlag springer elsevier media sons
    """.split()
)


def is_opening(word: str) -> bool:
    if len(word) > 1 and word.isupper():  # the organisation WHO
        return False
    return word.casefold().strip(".,:") in _OPENING


def is_no_author(word: str) -> bool:
    return word.casefold().strip(".,:") in _NO_AUTHOR
