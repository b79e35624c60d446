"""`python -m answers.grading`."""

import sys

if __name__ == "__main__":
    from answers.grading.cli import main

    sys.exit(main())
