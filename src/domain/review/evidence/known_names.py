"""Names of programming languages, licences, processors and hosts of code; what shows these."""

import re
from typing import Final

from .column_questions import Asks

_LANGUAGES: Final = re.compile(
    r"(?<![\w-])(?:Python|JavaScript|Java|C\+\+|C#|Fortran|MATLAB|Matlab|Julia|Ruby|Perl|PHP|"
    r"Haskell|OCaml|Scala|Kotlin|Swift|Rust|Erlang|Clojure|(?:PLT )?Scheme|Racket|(?:Common )?Lisp|"
    r"LISP|Smalltalk|Squeak|Standard ML|SML|Objective-C|TypeScript|Pascal|Ada|Prolog|COBOL|"
    r"ALGOL(?: \d\d)?|Mathematica|Octave|Stata|SAS|Bash|NetLogo|Scratch|Lua|Tcl|TLA\+|"
    r"CUDA|OpenCL|Elixir|F#|(?:R|C|Go|D)(?=[ ,;.)](?!\.)(?![A-Z]\.)))(?![\w+#-])"
    r"(?:\s?\d(?:\.\w+)?(?=\W))?"
)
_LICENCES: Final = re.compile(
    r"\b(?:(?:Creative Commons|CC)[- ]?(?:Attribution|BY|Zero|0|CC0)[\w .-]*?(?:\s?\d\.\d)?"
    r"(?:\s(?:International|Generic|Unported))?(?:\s(?:Public )?Licen[sc]e)?"
    r"(?:\s?\(CC[- ]BY[^)]*\))?(?=[\s.,;)]|\Z)|"
    r"(?:GNU )?(?:Lesser |Affero )?(?:General Public Licen[sc]e|L?A?GPL)"
    r"(?:[-\s]?[Vv]?(?:ersion )?\d(?:\.\d)?\+?)?|MIT(?: Licen[sc]e)?\b|"
    r"(?:\d-[Cc]lause |[Mm]odified |[Rr]evised |Berkeley |New )?BSD"
    r"(?:[- ]\d(?:-[Cc]lause)?)?(?: Licen[sc]e)?|"
    r"Apache(?: [Ss]oftware)? [Ll]icen[sc]e(?:,? (?:[Vv]ersion )?\d(?:\.\d)?)?|"
    r"Apache[- ]2(?:\.0)?|Mozilla Public Licen[sc]e(?: \d(?:\.\d)?)?|"
    r"CC[- ]?BY(?:-\w\w)*(?:[- ]\d\.\d)?|CC0(?: \d\.\d)?|public domain)"
)
_MAKERS: Final = (
    r"(?:Intel|AMD|NVIDIA|Nvidia|Pentium|PIII|Xeon|Opteron|Alpha|SPARC|UltraSPARC|PowerPC|Athlon|"
    r"GeForce|Quadro|Tesla|Itanium|Celeron|Core ?(?:2|i\d)|VAX|PDP-\d+|ARM|MIPS|Motorola|GTX|Titan|"
    r"SPARCstation|RS/6000|EPYC|Ryzen|Cortex|Ultra ?\d+)"
)
_MODEL: Final = r"(?!\d+(?:\.\d+)? ?[GM]?Hz)[A-Z]?\d[\w-]*|III?\b|IV\b|Duo\b|Quad\b|Barcelona"
_HOSTS: Final = re.compile(
    r"\b(?:Git[Hh]ub|GitLab|Bitbucket|SourceForge|Zenodo|Figshare|figshare|Dryad|OSF|CRAN|PyPI|"
    r"Docker ?[Hh]ub|Hugging Face|Software Heritage)\b|https?://\S+(?<![.,;)])"
)
#: What stands before a letter that names a language.
LETTER: Final = re.compile(
    r"\b(?:in|using|with|and|or|of|via|to|into|language|package)[ (](?:the )?\Z|[+#\w], \Z"
)
#: A maker without a model.
BARE: Final = re.compile(r"\A(?:.*[- ]core )?\w+[®™]?\Z")
_PROCESSORS: Final = re.compile(
    r"(?:\b(?:(?:[Tt]wo|[Dd]ual|[Qq]uad|[Ff]our|\d+x?)[- ])?(?:\w+[- ]core )?"
    r"(?:\d(?:\.\d+)? ?[GM]Hz )?)?"
    rf"\b{_MAKERS}\b[®™]?(?:[ -](?:{_MAKERS}\b[®™]?|{_MODEL}))*(?:,? \d(?:\.\d+)? ?[GM]Hz)?"
    r"(?: (?:processors?|CPUs?|chips?|GPUs?))?"
)
#: Names by kind.
GAZETTEERS: Final = {
    Asks.LANGUAGE: _LANGUAGES,
    Asks.LICENCE: _LICENCES,
    Asks.PROCESSOR: _PROCESSORS,
    Asks.HOST: _HOSTS,
}
