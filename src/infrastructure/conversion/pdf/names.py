"""Words that tell what a line is: names of unnumbered sections, theorem heads, list items."""

import re

from citeloom.infrastructure.conversion.pdf.glyphs import squash

_KNOWN = """
    abstract summary zusammenfassung résumé resumen references bibliography literature
    literaturecited workscited referencesandnotes literatur acknowledgment acknowledgments
    acknowledgement acknowledgements acknowledgmentsandfunding danksagung appendix appendices
    supplementarymaterial supplementarymaterials supplementaryinformation supportinginformation
    introduction conclusion conclusions conclusionsandfuturework conclusionandfuturework
    discussion relatedwork background methods results materialsandmethods methodsandmaterials
    resultsanddiscussion dataavailability dataavailabilitystatement codeavailability
    dataandcodeavailability availabilityofdataandmaterials datadeposition funding
    fundinginformation fundingstatement authorcontributions authorscontributions
    authorcontributionstatement contributions competinginterests conflictofinterest
    conflictsofinterest declarationofcompetinginterest declarationofinterests ethicsstatement
    ethicsapproval broaderimpact limitations disclaimer notes contents tableofcontents foreword
    preface keywords
""".split()
KNOWN = frozenset(squash(name) for name in _KNOWN)
_BIBLIOGRAPHY = """
references bibliography literature literaturecited workscited referencesandnotes literatur
referencescited selectedreferences
""".split()
REFERENCES = frozenset(squash(name) for name in _BIBLIOGRAPHY)
ALWAYS = KNOWN - frozenset(
    squash(n)
    for n in """
        introduction conclusion conclusions discussion relatedwork background methods results
        notes contents literature summary contributions limitations keywords
    """.split()
)

THEOREM = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?\s+)?(?:main\s+)?(?:theorem|lemma|proposition|corollary|definition|"
    r"remark|proof|example|claim|conjecture|notation|assumption|axiom|observation|fact|problem|"
    r"question|exercise|hypothesis|algorithm|protocol|construction|convention)s?\b"
    r"\s*(?:\d|[.:(\[]|[A-Z]\b|of\s+(?:theorem|lemma|proposition|corollary|claim)\b)"
    r"|^(?:proof|remarks?)\W*$",
    re.IGNORECASE,
)
BULLET = re.compile(
    "^["
    "\u2022\u25cf\u25cb\u25e6\u25aa\u25ab\u25a0\u25a1\u2023\u2043\u2219\u00b7\u27a2\u2713\u2714"
    "\u25b6\u25ba\u2217\u221e\u2218\u2794\u2192\u21d2\u2605\u2610\u2756\u27a4\u203a"
    "\ue000-\uf8ff*\u2013\u2014-]\\s+\\S"
)
ENUMERATED = re.compile(r"^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]|\((?:[A-Z]|[IVX]{1,5})\))\s+\S")
EQUATION_NUMBER = re.compile(r"^\(?\d{1,3}(?:\.\d{1,3})*[a-z]?\)$")
REFERENCE_LABEL = re.compile(r"^(?:\[[^\]]{1,12}\]|\(?\d{1,3}[.)])\s*\S")
