"""Judged questions and labelled claims through CiteLoom's own search and judge."""
