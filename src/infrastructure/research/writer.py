"""Review files in each format (port ``ReviewWriter``)."""

from citeloom.application.ports.research import FinishedReview, ReviewFormat


class ReviewFiles:
    def write(self, review: FinishedReview, format: ReviewFormat) -> bytes:
        if format is ReviewFormat.DOCX:
            from .word_document import word

            return word(review)
        if format is ReviewFormat.CSV:
            from .text_files import table

            return table(review)
        if format is ReviewFormat.PRISMA:
            from .text_files import prisma

            return prisma(review.search).encode("utf-8")
        from .text_files import markdown

        return markdown(review).encode("utf-8")
