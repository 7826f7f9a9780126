"""What a list of papers is sorted by."""

from enum import StrEnum


class SortKey(StrEnum):
    AUTHOR = "author"
    KEY = "key"
    PAGES = "pages"
    STATE = "state"
    TITLE = "title"
    YEAR = "year"
