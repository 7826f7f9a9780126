"""Review files in each format."""

from citeloom.application.ports.research import FinishedReview, ReviewFormat


def review_file(review: FinishedReview, format: ReviewFormat) -> bytes:
    """See ``ReviewWriter``."""
    if format is ReviewFormat.DOCX:
        from .word_document import word

        return word(review)
    from .text_files import markdown, prisma, table

    if format is ReviewFormat.CSV:
        return table(review)
    text = prisma(review.search) if format is ReviewFormat.PRISMA else markdown(review)
    return text.encode("utf-8")
