"""``python -m ragcli``."""

from ragcli.cli import main

if __name__ == "__main__":
    main()
