"""What a person who writes asks: works, pages, citations, what is known of one."""
