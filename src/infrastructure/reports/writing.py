"""``ReviewWriter``: each format by its module."""

from citeloom.application.ports.review_writer import Review, ReviewFormat


class ReviewFiles:
    def write(self, review: Review, format: ReviewFormat) -> bytes:
        if format is ReviewFormat.DOCX:
            from citeloom.infrastructure.reports.word import word

            return word(review)
        if format is ReviewFormat.CSV:
            from citeloom.infrastructure.reports.table import table

            return table(review)
        if format is ReviewFormat.PRISMA:
            from citeloom.infrastructure.reports.searches import prisma

            return prisma(review.search).encode("utf-8")
        from citeloom.infrastructure.reports.markdown import markdown

        return markdown(review).encode("utf-8")
