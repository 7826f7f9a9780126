"""Language names of babel and polyglossia as language tags (BCP 47)."""

# The babel manual's list of options; dialects by region.
_NAMES = {
    "af": "afrikaans", "ar": "arabic", "eu": "basque", "be": "belarusian", "br": "breton",
    "bg": "bulgarian", "ca": "catalan", "zh": "chinese pinyin", "hr": "croatian", "cs": "czech",
    "da": "danish", "nl": "dutch", "en": "english", "en-US": "american usenglish",
    "en-GB": "british ukenglish", "en-CA": "canadian", "en-AU": "australian",
    "en-NZ": "newzealand", "eo": "esperanto", "et": "estonian", "fi": "finnish",
    "fr": "french francais frenchb", "fr-CA": "canadien acadian", "gl": "galician",
    "de": "german germanb ngerman", "de-AT": "austrian naustrian",
    "de-CH": "swissgerman nswissgerman", "el": "greek polutonikogreek", "he": "hebrew",
    "hi": "hindi", "hu": "hungarian magyar", "is": "icelandic",
    "id": "indonesian bahasai bahasa indonesia", "ia": "interlingua", "ga": "irish",
    "it": "italian", "ja": "japanese", "ko": "korean", "la": "latin", "lv": "latvian",
    "lt": "lithuanian", "mk": "macedonian", "ms": "malay bahasam", "mn": "mongolian",
    "no": "norwegian", "nb": "norsk bokmal", "nn": "nynorsk", "fa": "persian farsi", "pl": "polish",
    "pt": "portuguese portuges", "pt-BR": "brazilian brazil", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sk": "slovak", "sl": "slovene slovenian",
    "es": "spanish", "es-MX": "mexican spanishmx", "sv": "swedish", "th": "thai",
    "tr": "turkish", "uk": "ukrainian", "vi": "vietnamese", "cy": "welsh",
}  # fmt: skip
_TAGS = {name: tag for tag, names in _NAMES.items() for name in names.split()}


def language_tag(name: str) -> str:
    """``da`` for ``danish`` or ``langdanish``; any other text unchanged."""
    normalized = name.strip().lower()
    return _TAGS.get(normalized) or _TAGS.get(normalized.removeprefix("lang")) or name.strip()


def language_name(tag: str) -> str | None:
    """``danish`` for ``da`` or ``da-DK``, as in babel; None for an unknown language."""
    parts = tag.strip().replace("_", "-").split("-")
    region = f"{parts[0].lower()}-{parts[-1].upper()}"
    names = _NAMES.get(region) or _NAMES.get(parts[0].lower())
    if names is None:
        return tag.lower() if tag.lower() in _TAGS else None
    return "ngerman" if region.startswith("de") and "ngerman" in names else names.split()[0]
