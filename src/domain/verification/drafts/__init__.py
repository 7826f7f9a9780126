"""Drafts: citations, claims, locators, findings."""
