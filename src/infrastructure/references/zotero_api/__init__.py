"""Zotero's local API and its web API as sources of a library."""

from citeloom.infrastructure.references.zotero_api.local import LOCAL_URL, ZoteroLocalApi
from citeloom.infrastructure.references.zotero_api.source import Means
from citeloom.infrastructure.references.zotero_api.web import WEB_URL, ZoteroWebApi

__all__ = ["LOCAL_URL", "WEB_URL", "Means", "ZoteroLocalApi", "ZoteroWebApi"]
