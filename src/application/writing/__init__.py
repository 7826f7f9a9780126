"""What a person who writes with a library asks: works, pages, citations, what is known."""
