"""PDF conversion: from a file to a ``ConversionResult`` with the place of every line.

``convert`` runs the conversion; ``pdfium`` reads metadata, page sizes and declared page labels.
``reading`` has the port of its two readers. ``native`` decodes the pages into ``page_record``, has
unreadable ones read by ``ocr``, and hands all of them to ``layout``. ``neural`` is docling's own
pipeline; docling is imported on that way only. Both give the printed page numbers
(``domain/citation/page_numbers``); ``hidden_text_warnings`` says what was left out.

``layout`` goes through the sub-packages; each depends on those before it only. Below all
of them is ``fonts``: character maps for fonts without one, before pdfium reads the file.

1. ``page_content``: what a page draws beside its text, and which text a reader sees
2. ``words``: words of a page with exact characters, spaces, heights and direction
3. ``lines``: drop caps, gutters, runs and lines, running heads, reading order of columns
4. ``front_matter``: title, authors and year, by the first page and the metadata
5. ``headings``: outline, headings and their levels, contents, bibliography
6. ``tables``: table regions, and the grid of cells in each
7. ``blocks``: paragraphs, lists, captions, footnotes, formulas, figures, and their text
8. ``segmentation``: columns, figures, tables, heads and feet of a page
"""
