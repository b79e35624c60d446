"""Stands in for practice_check while a notebook is graded: the answers are judged outside, so here nothing is."""


def start() -> None:
    """Do nothing."""


def check(number: int) -> None:
    """Do nothing."""
