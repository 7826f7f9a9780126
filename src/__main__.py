"""``python -m citeloom``."""

from citeloom.infrastructure.cli.main import main

if __name__ == "__main__":
    main()
