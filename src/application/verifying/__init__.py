"""The verb *verify*: a draft against the sources that it cites."""
