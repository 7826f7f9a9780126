"""Errors of chats and their messages."""

from citeloom.domain.errors import SessionNotFound


class ChatNotFound(SessionNotFound):
    """No chat has this id, or several do."""

    code = "CHAT_NOT_FOUND"


class MessageNotFound(SessionNotFound):
    """No message has this id."""

    code = "MESSAGE_NOT_FOUND"


def no_chat(id: object) -> ChatNotFound:
    return ChatNotFound(f"{id}: no such chat", chat=str(id))


def no_message(id: object) -> MessageNotFound:
    return MessageNotFound(f"{id}: no such message", message_id=str(id))
