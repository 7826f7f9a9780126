"""The wiring of *session export* and *session compare*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.reporting.comparing import CompareReviews
    from citeloom.application.reporting.exporting import ExportReview
    from citeloom.infrastructure.bootstrap import Application


def export_review(application: "Application") -> "ExportReview":
    from citeloom.application.reporting.exporting import ExportReview
    from citeloom.infrastructure.citing.styles import CslStyles
    from citeloom.infrastructure.reports.writing import ReviewFiles

    return ExportReview(
        record=application.research_record,
        catalogue=application.catalogue,
        styles=CslStyles(),
        writer=ReviewFiles(),
    )


def compare_reviews(application: "Application") -> "CompareReviews":
    from citeloom.application.reporting.comparing import CompareReviews

    return CompareReviews(application.research_record)
