"""Names of programming languages, licences, processors and hosts of code; what shows these."""

import re
from typing import Final

from .column_questions import Asks

_LANGUAGES: Final = re.compile(
    r"(?<![\w-])(?:Python|JavaScript|Java|C\+\+|C#|Fortran|MATLAB|Matlab|Julia|Ruby|Perl|PHP|"
    r"Haskell|OCaml|Scala|Kotlin|Swift|Rust|Erlang|Clojure|(?:PLT )?Scheme|Racket|(?:Common )?Lisp|"
    r"LISP|Smalltalk|Squeak|Standard ML|SML|Objective-C|TypeScript|Pascal|Ada|Prolog|COBOL|"
    r"ALGOL(?: \d\d)?|Mathematica|Octave|Stata|SAS|Bash|NetLogo|Scratch|Lua|Tcl|TLA\+|"
    r"CUDA|"
    r"OpenCL|Elixir|F#|(?:R|C|Go|"
    r"D)(?=[ ,;.)](?!\.)(?![A-Z]\.)))(?![\w+#-])(?:\s?\d(?:\.\w+)?(?=\W))?"
)
_LICENCES: Final = re.compile(
    r"\b(?:(?:Creative Commons|CC)[- ]?(?:Attribution|BY|Zero|0|CC0)[\w .-]*?(?:\s?\d\.\d)?"
    r"(?:\s(?:International|Generic|"
    r"Unported))?(?:\s(?:Public )?Licen[sc]e)?(?:\s?\(CC[- ]BY[^)]*\))?"
    r"(?=[\s.,;)]|\Z)|(?:GNU )?(?:Lesser |Affero )?(?:General Public Licen[sc]e|L?A?GPL)"
    r"(?:[-\s]?[Vv]?(?:ersion )?\d(?:\.\d)?\+?)?|MIT(?: Licen[sc]e)?\b|"
    r"(?:\d-[Cc]lause |[Mm]odified |[Rr]evised |Berkeley |New )?BSD"
    r"(?:[- ]\d(?:-[Cc]lause)?)?(?: Licen[sc]e)?|"
    r"Apache(?: [Ss]oftware)? "
    r"[Ll]icen[sc]e(?:,? (?:[Vv]ersion )?\d(?:\.\d)?)?|Apache[- ]2(?:\.0)?|"
    r"Mozilla Public Licen[sc]e"
    r"(?: \d(?:\.\d)?)?|CC[- ]?BY(?:-\w\w)*(?:[- ]\d\.\d)?|CC0(?: \d\.\d)?|public domain)"
)
_MAKERS: Final = (
    r"(?:Intel|AMD|NVIDIA|Nvidia|Pentium|PIII|Xeon|Opteron|Alpha|SPARC|UltraSPARC|PowerPC|Athlon|"
    r"GeForce|Quadro|Tesla|Itanium|Celeron|Core ?(?:2|i\d)|VAX|PDP-\d+|ARM|MIPS|Motorola|GTX|Titan|"
    r"SPARCstation|RS/6000|EPYC|Ryzen|Cortex|Ultra ?\d+)"
)
_MODEL: Final = r"(?!\d+(?:\.\d+)? ?[GM]?Hz)[A-Z]?\d[\w-]*|III?\b|IV\b|Duo\b|Quad\b|Barcelona"
_HOSTS: Final = re.compile(
    r"\b(?:Git[Hh]ub|GitLab|Bitbucket|SourceForge|Zenodo|Figshare|figshare|Dryad|OSF|CRAN|PyPI|"
    r"Docker ?[Hh]ub|Hugging Face|Software Heritage)\b"
)
#: A maker without a model.
BARE: Final = re.compile(r"\A(?:.*[- ]core )?\w+[®™]?\Z")
_PROCESSORS: Final = re.compile(
    r"(?:\b(?:(?:[Tt]wo|[Dd]ual|[Qq]uad|[Ff]our|\d+x?)[- ])?(?:\w+[- ]core )?"
    r"(?:\d(?:\.\d+)? ?[GM]Hz )?)?"
    rf"\b{_MAKERS}\b[®™]?(?:[ -](?:{_MAKERS}\b[®™]?|{_MODEL}))*(?:,? \d(?:\.\d+)? ?[GM]Hz)?"
    r"(?: (?:processors?|CPUs?|chips?|GPUs?))?"
)
#: What must stand in a sentence, so that a name of the kind is an answer.
PROOFS: Final = {
    Asks.LANGUAGE: r"\b(?:writ\w+|implement\w*|program\w*|cod(?:e|ed|ing)|develop\w*|scripts?|"
    r"languages?|taught|using|uses?|learn\w*|packages?|librar\w+|notebooks?)\b",
    Asks.LICENCE: r"\blicen[sc]\w*|\breleased? under|\bavailable under",
    Asks.HOST: r"\b(?:hosted?|available|stored|shared|published|repositor\w+|found|download\w*|"
    r"archived?|deposited)\b",
    Asks.PROCESSOR: r"\b(?:machines?|servers?|nodes?|processors?|CPUs?|GPUs?|cores?|GB|equipped|"
    r"memory|ran|run|clusters?|tested|performed|workstations?|system)\b",
}
#: Names by kind.
GAZETTEERS: Final = {
    Asks.LANGUAGE: _LANGUAGES,
    Asks.LICENCE: _LICENCES,
    Asks.PROCESSOR: _PROCESSORS,
    Asks.HOST: _HOSTS,
}
#: What stands right before a name that surely is one of the kind.
TIGHT: Final = {
    Asks.LANGUAGE: r"\b(?:writ\w+|implement\w*|coded|programmed|developed|built)\b[^.;,]{0,40}\bin"
    r" (?:the )?\Z|\blines of (?:\w+ )?\Z",
    Asks.LICENCE: r"\blicen[sc]ed? |\bunder (?:the |a |an )?\Z",
    Asks.PROCESSOR: r"",
    Asks.HOST: r"\b(?:hosted|available|published|archived|deposited) (?:on|at|in|via|from) (?:the "
    r")?\Z",
}
