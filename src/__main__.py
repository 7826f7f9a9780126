"""``python -m citeloom``."""

from citeloom.infrastructure.cli.shared.relay import main

if __name__ == "__main__":
    main()
