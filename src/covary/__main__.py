"""`python -m covary`: the same as `covary`."""

from covary.cli import main

if __name__ == "__main__":
    main()
