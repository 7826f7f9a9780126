"""Tools of the server: names, descriptions, deadlines and annotations."""
