"""Front matter: title, authors and year of the document.

``title_evidence`` titles in the metadata and words of the file name · ``title_lines`` lines that
are no title, groups of lines set alike · ``title_points`` evidence for a title in points ·
``title`` title and authors' block on the page ·
``people`` names of people · ``authors`` those of an authors' block · ``printed`` title and
authors as printed · ``title_text`` the title's text by page and metadata ·
``publication_year`` the year of publication · ``bibliography`` title, authors and year judged
together · ``identifiers`` DOI, arXiv and other identifiers of the document itself.
"""
