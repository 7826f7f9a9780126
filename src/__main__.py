"""``python -m citeloom``."""

from citeloom.infrastructure.cli.relay import main

if __name__ == "__main__":
    main()
