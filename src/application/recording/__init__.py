"""Sessions of research, kept: who works on them, what becomes of them, what users say."""
