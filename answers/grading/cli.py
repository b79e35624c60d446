"""The command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tqdm import tqdm

from answers.grading import batch, report, sandbox
from answers.grading.batch import BatchFault, Run, Settings
from answers.grading.key import read_key, read_self_check
from answers.grading.row import Row
from answers.grading.sandbox import Limits, NoSandbox
from answers.problems import KEY, KeyFault

FAILED, MISUSED, NO_SANDBOX, INTERRUPTED = 1, 2, 3, 130

EXAMPLES = """\
examples:
  python -m answers.grading submissions
      Grade a class against the whole key, each notebook in a sandbox. Writes grades/gradebook.html, gradebook.csv,
      junit.xml, written.md and grades/feedback. Run it again after an interruption: finished notebooks are kept.

  python -m answers.grading --self-check --no-sandbox chapters/12-practice.ipynb
      A student's own notebook, without the instructor's key.

  python -m answers.grading --key ../private/key --jobs 4 --out autumn submissions
      A key from a private place, four notebooks at a time.

  python -m answers.grading --shard 2/4 --out shard-2 submissions
  python -m answers.grading merge --out grades shard-1 shard-2 shard-3 shard-4
      The second of four machines; then the four put together.

exit codes:
  0 graded    1 some rows failed through no fault of the notebooks    2 wrong use, a faulty key, or a file that cannot be written
  3 no sandbox can be made here    130 interrupted
"""


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if arguments[:1] == ["merge"]:
            return _merge(arguments[1:])
        return _grade(arguments)
    except (BatchFault, KeyFault) as fault:
        print(f"Nothing was done. {fault}", file=sys.stderr)
        return MISUSED
    except NoSandbox as reason:
        print(
            f"Nothing was graded, because no sandbox can be made here: {reason}.\n"
            "A sandbox keeps a notebook's code away from your files, the key and the network. If you trust the notebooks, or "
            "the machine is thrown away afterwards, add --no-sandbox (with make: OPTIONS=--no-sandbox).",
            file=sys.stderr,
        )
        return NO_SANDBOX
    except OSError as error:
        print(
            f"Not finished. {error.filename or 'A file'}: {error.strerror or error}. Mend that and run the same command again; "
            "notebooks that are finished are kept.",
            file=sys.stderr,
        )
        return MISUSED
    except KeyboardInterrupt:
        print("\nInterrupted. What is finished is kept: run the same command again to go on.", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m answers.grading",
        description="Grade practice notebooks by replaying them with nbval: on the inputs they show, then on others.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "submissions", nargs="+", type=Path, metavar="SUBMISSION_OR_FOLDER", help="notebooks, or folders of notebooks"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("grades"), metavar="FOLDER", help="where to write (default: grades)"
    )
    parser.add_argument(
        "--key", type=Path, default=KEY, metavar="FOLDER", help="the key's folder (default: answers/key)"
    )
    parser.add_argument(
        "--self-check", action="store_true",
        help="do without the whole key: use what pages of it there are, and the self-check's hashes for the other problems",
    )  # fmt: skip
    parser.add_argument(
        "--no-sandbox", action="store_true", help="run the notebooks' code with your own rights, unprotected"
    )
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="notebooks at a time (default: one a core)",
    )
    parser.add_argument(
        "--shard", type=_shard, default=(1, 1), metavar="K/N", help="grade only the K-th of N equal parts"
    )
    parser.add_argument(
        "--cell-seconds", type=_positive, default=int(Limits.cell_seconds), metavar="S",
        help="stop a cell after this time (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="append a summary in Markdown, a line per problem, for a CI job"
    )
    return parser


def _grade(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    limits = Limits(cell_seconds=options.cell_seconds)
    settings = Settings(limits, not options.no_sandbox, options.self_check, batch.grader_digest())
    key = read_self_check(options.key) if options.self_check else read_key(options.key)
    everything = batch.find(options.submissions)
    out = options.out.resolve()
    for path in options.submissions:
        if path.is_dir() and out.is_relative_to(path.resolve()):
            raise BatchFault(f"The results would be written into {path}, among the submissions. Choose another --out.")
    if settings.sandboxed:
        sandbox.check(limits, [options.key, out, *options.submissions])
    else:
        print(sandbox.NOT_PROTECTED, file=sys.stderr)
    chosen = batch.shard(everything, *options.shard)
    run = Run(key.digest, batch.describe(settings), tuple(submission.name for submission in everything))
    with batch.claimed(out):
        batch.write_run(out, run)
        rows = []
        # On a terminal a moving bar; in a log, a line now and then.
        pace = 0.2 if sys.stderr.isatty() else 30.0
        bar = tqdm(total=len(chosen), unit=" notebooks", desc="Grading", mininterval=pace, disable=len(chosen) == 1)
        with bar, closing(batch.grade_all(chosen, key, settings, out, options.jobs)) as finished:
            for row in finished:
                rows.append(row)
                bar.update()
        places = {submission.name: place for place, submission in enumerate(chosen)}
        rows.sort(key=lambda row: places[row.submission])
        return _finish(rows, options.out, options.summary)


def _merge(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m answers.grading merge", description="Put the results of several shards together."
    )
    parser.add_argument("shards", nargs="+", type=Path, metavar="FOLDER", help="what the shards have written")
    parser.add_argument(
        "--out", type=Path, default=Path("grades"), metavar="FOLDER", help="where to write (default: grades)"
    )
    options = parser.parse_args(arguments)
    run, rows = batch.merge(options.shards)
    with batch.claimed(options.out):
        batch.write_merged(options.out, run, rows)
        return _finish(rows, options.out, None)


def _finish(rows: Sequence[Row], out: Path, summary: Path | None) -> int:
    report.write(rows, out)
    if summary is not None:
        with summary.open("a", encoding="utf-8") as file:
            file.write(report.summary(rows))
    if len(rows) == 1:
        print(report.lines(rows[0]), end="")
    failed = [row for row in rows if row.state == "failed"]
    unreadable = sum(row.state == "unreadable" for row in rows)
    print(
        f"Notebooks: {len(rows)}. Graded: {len(rows) - unreadable - len(failed)}. Unreadable: {unreadable}. Failed: {len(failed)}."
    )
    print(f"The gradebook is {out / report.PAGE}.")
    for row in failed:
        print(f"{row.submission}: {row.reason}", file=sys.stderr)
    return FAILED if failed else 0


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError("K/N needs 1 <= K <= N, such as 2/4")
    return int(number), int(count)
