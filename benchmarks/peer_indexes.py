"""Indexes of peers with the bundled model, for questions_peers.py and ingest_peers.py.

Each builder takes the papers, an ``Embedder`` and a folder to work in, and gives the texts that it
indexed and a search: (file name, text) by rank. With ``stored``, a path, the index is kept there by
the peer's own means (Chroma's always is), and opened where it is there already.

llamaindex   SimpleDirectoryReader, SentenceSplitter, VectorStoreIndex with their defaults.
chroma       a collection with its defaults, a page (by pypdf) a document.
paperqa      PaperQA2's reader, 5,000 characters with 250 of the one before, and retrieve_texts.
"""

import asyncio
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

DEPTH = 10
Search = Callable[[str], list[tuple[str, str]]]


class Embedder:
    """Vectors of the bundled model, as fastembed makes them."""

    def __init__(self, model: Path) -> None:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        name = "bundled/all-minilm-l6-v2"
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),
            dim=384,
            model_file="model.onnx",
        )
        self._model = TextEmbedding(name, specific_model_path=str(model), threads=2)

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector.tolist() for vector in self._model.embed(list(texts), batch_size=32)]


def llamaindex(
    papers: list[Path], embed: Embedder, _: Path, stored: Path | None = None
) -> tuple[list[str], Search]:
    from llama_index.core import (
        Settings,
        SimpleDirectoryReader,
        StorageContext,
        VectorStoreIndex,
        load_index_from_storage,
    )
    from llama_index.core.embeddings import BaseEmbedding

    class Bundled(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    Settings.embed_model = Bundled()
    Settings.llm = None
    if stored and stored.exists():
        index = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(stored)))
    else:
        documents = SimpleDirectoryReader(input_files=papers).load_data()
        index = VectorStoreIndex.from_documents(documents)
        if stored:
            index.storage_context.persist(str(stored))
    retriever = index.as_retriever(similarity_top_k=DEPTH)
    texts = [node.get_content() for node in index.docstore.docs.values()]

    def search(question: str) -> list[tuple[str, str]]:
        found = retriever.retrieve(question)
        return [(str(one.node.metadata["file_name"]), one.node.get_content()) for one in found]

    return texts, search


def chroma(
    papers: list[Path], embed: Embedder, work: Path, stored: Path | None = None
) -> tuple[list[str], Search]:
    import chromadb
    from pypdf import PdfReader

    collection = chromadb.PersistentClient(str(work / "chroma")).get_or_create_collection(
        "papers", embedding_function=None
    )
    texts: list[str] = []
    for paper in [] if stored and collection.count() else papers:
        pages = [page.extract_text() or " " for page in PdfReader(paper).pages]
        texts += pages
        collection.add(
            ids=[f"{paper.name}#{number}" for number in range(len(pages))],
            documents=pages,
            embeddings=embed(pages),
            metadatas=[{"file": paper.name} for _ in pages],
        )

    def search(question: str) -> list[tuple[str, str]]:
        found = collection.query(query_embeddings=embed([question]), n_results=DEPTH)
        pairs = zip(found["metadatas"][0], found["documents"][0], strict=True)
        return [(str(about["file"]), text) for about, text in pairs]

    return texts, search


def paperqa(
    papers: list[Path], embed: Embedder, _: Path, stored: Path | None = None
) -> tuple[list[str], Search]:
    from paperqa import Docs, EmbeddingModel, Settings

    class Bundled(EmbeddingModel):
        async def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

    model = Bundled(name="bundled")
    settings = Settings()
    settings.parsing.use_doc_details = False
    settings.parsing.multimodal = False
    settings.parsing.disable_doc_valid_check = True
    kept = stored is not None and stored.exists()
    docs = pickle.loads(stored.read_bytes()) if kept else Docs()

    async def add() -> None:
        for paper in [] if kept else papers:
            await docs.aadd(
                paper,
                citation=paper.stem,
                docname=paper.name,
                title=paper.stem,
                authors=["A"],
                doi="",
                settings=settings,
                embedding_model=model,
            )

    loop = asyncio.new_event_loop()
    loop.run_until_complete(add())
    if stored:
        stored.write_bytes(pickle.dumps(docs))

    def search(question: str) -> list[tuple[str, str]]:
        found = loop.run_until_complete(
            docs.retrieve_texts(question, DEPTH, settings=settings, embedding_model=model)
        )
        return [(one.doc.docname, one.text) for one in found]

    return [one.text for one in docs.texts], search


BUILDERS = {"llamaindex": llamaindex, "chroma": chroma, "paperqa": paperqa}
