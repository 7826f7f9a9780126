"""Chats and research sessions over HTTP."""
