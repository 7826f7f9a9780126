"""The wiring of *session export* and *session compare*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.research.compare import CompareReviews
    from citeloom.application.research.export import ExportReview
    from citeloom.infrastructure.composition.application import Application


def export_review(application: "Application") -> "ExportReview":
    from citeloom.application.research.export import ExportReview
    from citeloom.infrastructure.citation.csl.styles import CslStyles
    from citeloom.infrastructure.research.writer import ReviewFiles

    return ExportReview(
        record=application.research_record,
        catalogue=application.catalogue,
        styles=CslStyles(),
        writer=ReviewFiles(),
    )


def compare_reviews(application: "Application") -> "CompareReviews":
    from citeloom.application.research.compare import CompareReviews

    return CompareReviews(application.research_record)
