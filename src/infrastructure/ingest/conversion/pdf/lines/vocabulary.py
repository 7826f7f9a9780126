"""Words that identify a line: names of unnumbered sections, theorem heads, list labels."""

import re

from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash


def _squashed(names: str) -> frozenset[str]:
    """Names separated by commas and line ends, as ``squash`` leaves them."""
    return frozenset(squash(name) for name in re.split(r"[,\n]", names) if name.strip())


REFERENCE_HEADINGS = _squashed("""
    references, bibliography, literature, literature cited, works cited, references and notes
    references cited, selected references, literatur, literaturverzeichnis, quellenverzeichnis
    références, références bibliographiques, bibliographie, referencias, bibliografía
    referencias bibliográficas, referências, riferimenti bibliografici, bibliografia
    참고문헌, 참고 문헌, 参考文献, 參考文獻, 引用文献, список литературы, литература
""")
CONTENTS_HEADINGS = _squashed("""
    contents, table of contents, inhalt, inhaltsverzeichnis, sommaire, table des matières
    índice, índice general, sumário, indice, 차례, 목차, 目录, 目錄, 目次, оглавление, содержание
""")
# Names of sections of level 1, whatever their type.
TOP_SECTIONS = _squashed("""
    abstract, zusammenfassung, kurzfassung, résumé, resumen, resumo, riassunto
    초록, 국문초록, 요약, 摘要, 要旨, аннотация
    acknowledgment, acknowledgments, acknowledgement, acknowledgements
    acknowledgments and funding, danksagung, remerciements, agradecimientos, agradecimentos
    ringraziamenti, 감사의 글, 致谢, 致謝, 謝辞, благодарности
    appendix, appendices, anhang, annexe, annexes, apéndice, 부록, 附录, 附錄, 付録
    supplementary material, supplementary materials, supplementary information
    supporting information, materials and methods, methods and materials
    results and discussion, conclusions and future work, conclusion and future work
    schlussfolgerungen, data availability, data availability statement, code availability
    data and code availability, availability of data and materials, data deposition
    funding, funding information, funding statement, author contributions
    authors contributions, author contribution statement, competing interests
    conflict of interest, conflicts of interest, declaration of competing interest
    declaration of interests, ethics statement, ethics approval, broader impact, disclaimer
    table of contents, foreword, preface
""") | (REFERENCE_HEADINGS - {"literature"})
# Labels above the text that are set like headings, but have no section below them.
FRONT_MATTER = _squashed("""
    categories and subject descriptors, general terms, ccs concepts, index terms, affiliation
    acm reference format, pvldb reference format, pvldb artifact availability
""")
OPENING_SECTIONS = _squashed("""
    abstract, summary, introduction, zusammenfassung, kurzfassung, einleitung, einführung, résumé
    resumen, resumo, riassunto, introducción, introdução, introduzione
    초록, 국문초록, 요약, 서론, 摘要, 要旨, 引言, 绪论, 緒論, はじめに, 序論, аннотация, введение
""")
KNOWN_HEADINGS = (
    TOP_SECTIONS
    | REFERENCE_HEADINGS
    | _squashed("""
    summary, introduction, conclusion, conclusions, discussion, related work, background
    methods, results, contributions, limitations, notes, contents, keywords
    einleitung, einführung, methoden, methodik, ergebnisse, diskussion, fazit, ausblick
    méthodes, résultats, introducción, métodos, resultados, discusión, conclusiones
    서론, 연구 방법, 방법, 연구 결과, 결과, 고찰, 논의, 결론
    引言, 绪论, 緒論, 方法, 结果, 結果, 讨论, 討論, 结论, 結論, 結語, 结语
    はじめに, 序論, 考察, おわりに, введение, заключение, выводы
    """)
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
SENTENCE_END = re.compile(r"[.!?:;\u3002\u061f]['\")\]\u2019\u201d]*$")  # a sentence
