"""Cutting documents into passages along their structure."""
