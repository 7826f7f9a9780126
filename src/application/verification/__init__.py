"""The verb *verify*: the claims of a draft against the sources that it cites."""
