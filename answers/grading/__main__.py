"""`python -m answers.grading`."""

import sys

if __name__ == "__main__":
    from answers.grading.cli import main

    # A student's words may hold characters that this terminal or log does not have.
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
