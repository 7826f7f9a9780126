"""What the verbs need from outside: the protocols of one capability a file."""
