"""Answers about structures and their nodes."""

from typing import Any

from citeloom.application.maps.resolve import Resolution
from citeloom.infrastructure.mcp.answers.contents import Reply


class ResourcesReply(Reply, total=False):
    """Ids of documents and mapped files, or their outline."""

    resources: list[str]
    context: str


class StructureReply(Reply, total=False):
    """A resource map."""

    resource_id: str
    type: str
    title: str
    source_path: str
    nodes: list[dict[str, Any]]
    metadata: dict[str, Any]
    created_at: str


class NodeReply(Reply, total=False):
    """A node of a resource map."""

    id: str
    title: str
    type: str
    location: dict[str, Any]
    summary: str
    children: list[dict[str, Any]]


class ResolutionReply(Reply, total=False):
    """A node as a file."""

    output_path: Any
    modality: str
    address: str
    node: dict[str, Any]
    resource_id: str
    text_uncertain: bool


def resolved(found: Resolution) -> ResolutionReply:
    """CiteKit's fields, a mark on uncertain text, and the warnings if there are any."""
    evidence = found.evidence
    answer: ResolutionReply = {
        "output_path": evidence.output_path,
        "modality": evidence.modality,
        "address": evidence.address,
        "node": evidence.node.model_dump(mode="json", exclude_none=True),
        "resource_id": evidence.resource_id,
    }
    if found.text_uncertain:
        answer["text_uncertain"] = True
    if found.warnings:
        answer["warnings"] = list(found.warnings)
    return answer
