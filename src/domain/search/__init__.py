"""Search: request, filters, fusion, neighbours, reranking, similarity."""
