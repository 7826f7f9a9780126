"""The log of fastembed, which writes to stderr what the errors of models say."""


def silence() -> None:
    """Let fastembed log nothing."""
    from loguru import logger

    logger.disable("fastembed")
