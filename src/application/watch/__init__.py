"""The verb *watch*: a project kept up to date with files and libraries."""
