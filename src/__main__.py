"""``python -m citeloom``."""

from citeloom.infrastructure.cli.app import main

if __name__ == "__main__":
    main()
