"""The verb *query*: candidates, fusion, reranking, selection of passages."""
