"""Options of a reference library: source, location, collections and tags."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from citeloom.domain.library.snapshot import LibraryScope

CollectionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        "-c",
        help="Collection by name, path (Thesis/Chapter 2) or key, subcollections included.",
    ),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", "-t", help="Only items with this tag; repeatable, any of them."),
]
ExcludeTagOption = Annotated[
    list[str] | None, typer.Option("--exclude-tag", help="No items with this tag.")
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        "-g",
        help="Group library by name or number, or * for all, instead of your own.",
    ),
]
OwnOption = Annotated[
    bool, typer.Option("--own", help="Your own library, in addition to the groups.")
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="Source to read: database, local-api, web-api, auto, local-first or web-first. "
        "[default: zotero.source of the configuration]",
    ),
]
DataDirOption = Annotated[
    str | None,
    typer.Option(
        "--data-dir", help="Zotero's data directory or database. [default: found by its profile]"
    ),
]


@dataclass(frozen=True)
class CollectionOptions:
    """Collections, in the user's own library or in groups."""

    collection: CollectionOption = None
    group: GroupOption = None
    own: OwnOption = False

    @property
    def scope(self) -> "LibraryScope":
        """The part of the libraries that these options name."""
        from citeloom.domain.library.snapshot import LibraryScope

        return LibraryScope(
            collections=tuple(self.collection or ()),
            groups=tuple(self.group or ()),
            user=self.own or not self.group,
        )


@dataclass(frozen=True)
class ScopeOptions(CollectionOptions):
    """Collections and tags."""

    tag: TagOption = None
    exclude_tag: ExcludeTagOption = None

    @property
    def scope(self) -> "LibraryScope":
        tags, exclude_tags = tuple(self.tag or ()), tuple(self.exclude_tag or ())
        return super().scope.model_copy(update={"tags": tags, "exclude_tags": exclude_tags})

    @property
    def named_scope(self) -> "LibraryScope | None":
        """None where nothing is named: the scope that the project remembers."""
        named = self.collection or self.group or self.own or self.tag or self.exclude_tag
        return self.scope if named else None


@dataclass(frozen=True)
class SourceOptions:
    """Which source of the library is read, and where it is."""

    library: SourceOption = None
    data_dir: DataDirOption = None

    @property
    def flags(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings that these options set."""
        flags = {"source": self.library, "data_dir": self.data_dir}
        return {"zotero": {name: value for name, value in flags.items() if value is not None}}
