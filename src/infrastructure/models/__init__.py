"""Models: embedding, reranking, language models; weights and sessions."""
