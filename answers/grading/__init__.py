"""Grades practice notebooks: one student's, or a class's.

    python -m answers.grading --help

`load` reads a submission, `match` finds the answers in it, `prepare` makes the notebook that nbval replays, `sandbox` and
`kernel` run it where it can do no harm, `judge` is the nbval plugin that compares, `replay` repeats that on changed
inputs, `report` writes what an instructor and a student read, `batch` does all of it for a folder, `cli` is the command.
"""
