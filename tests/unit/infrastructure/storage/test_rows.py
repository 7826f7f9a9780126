"""Rows of the catalogue's tables."""

import json

from support.stores.catalogues import a_document

from citeloom.domain.messages import UserMessage, WarningCode
from citeloom.infrastructure.storage.rows import document_of, document_row

CODED = UserMessage("no citation: add it", code=WarningCode.NO_CITATION)


def test_the_code_of_a_warning_is_stored_beside_its_text_which_alone_is_a_string() -> None:
    row = {**document_row(a_document(warnings=("page 3 has no text", CODED))), "citation": None}
    assert json.loads(row["warnings"]) == [
        "page 3 has no text",
        {"code": "no_citation", "text": "no citation: add it"},
    ]
    plain, coded = document_of(row, ()).warnings
    assert (plain, coded) == ("page 3 has no text", CODED)
    assert isinstance(coded, UserMessage)
    assert coded.code is WarningCode.NO_CITATION


def test_warnings_of_an_earlier_version_are_texts() -> None:
    row = {**document_row(a_document()), "citation": None, "warnings": '["no citation: add it"]'}
    assert document_of(row, ()).warnings == ("no citation: add it",)
