"""Content of a file that is sent to workers which do not see its path."""

from citeloom.application.ports.ingest import ConversionJob
from citeloom.domain.errors import DocumentTooLarge
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.ingest.conversion.sources.content import read_content

#: Bytes of a file that is sent; the scheduler holds those of all documents in flight.
MOST_SENT = 128 * 2**20


def content_to_send(job: ConversionJob, memory_mb: int) -> bytes:
    """The content of a document, which has its digest. Raises as the converter does where the file
    is missing, was changed or is too large, DocumentTooLarge also where it is not sent."""
    content = read_content(job.source, job.document_id, memory_mb)
    if len(content) > MOST_SENT:
        raise DocumentTooLarge(
            f"{job.source.name}: {sized(len(content))}, and the workers do not see {job.source}; "
            f"files up to {sized(MOST_SENT)} are sent: put larger ones on a path that workers see"
        )
    return content
