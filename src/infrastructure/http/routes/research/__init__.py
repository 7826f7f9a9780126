"""Routes of chats, reviews and preferences."""
