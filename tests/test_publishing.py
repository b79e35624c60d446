"""What runs elsewhere, checked as far as it can be here: workflows, Binder, the dev container; and the published site."""

from __future__ import annotations

import ast
import contextlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import numpy
import pytest
import yaml
from matplotlib import image
from playwright.sync_api import Page
from statsmodels.stats.proportion import proportion_confint

from notebooks import ROOT, page_notebooks, read_notebook

sys.path.insert(0, str(ROOT / "_ext"))
import social_card  # noqa: E402

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
SYSTEM_COMMANDS = ("sudo apt-get ", "sudo sysctl ", "mkdir -p ")


def workflow(path: Path) -> dict[str, Any]:
    """Read a workflow with every value as text; in YAML's own types `on` is true and 3.10 a fraction."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def jobs(path: Path) -> dict[str, dict[str, Any]]:
    return workflow(path)["jobs"]


def commands(path: Path) -> list[str]:
    """Every command line of a workflow, without comments and without the log that is kept of it."""
    lines = [line.strip() for job in jobs(path).values() for step in job["steps"] for line in step.get("run", "").splitlines()]
    return [line.split(" 2>&1 | tee ")[0] for line in lines if line and not line.startswith("#")]


def validate(schema: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Check files against a schema that comes with check-jsonschema; nothing is fetched."""
    return subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, paths)], capture_output=True, text=True
    )


def test_workflows_fit_githubs_schema():
    assert [path.name for path in WORKFLOWS] == ["grade.yml", "site.yml", "weekly.yml"]
    run = validate("vendor.github-workflows", *WORKFLOWS)
    assert run.returncode == 0, run.stdout + run.stderr


def test_dependabot_fits_githubs_schema():
    run = validate("vendor.dependabot", GITHUB / "dependabot.yml")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("fault", [("timeout-minutes:", "timeout-minute:"), ("runs-on:", "run-on:"), ("  contents: read", "  content: read")])
def test_the_schema_refuses_a_misspelt_workflow(fault: tuple[str, str], tmp_path: Path):
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace(*fault), encoding="utf-8")
    assert validate("vendor.github-workflows", broken).returncode == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_get_few_rights_and_little_time(path: Path):
    content = workflow(path)
    assert content["permissions"] == {"contents": "read"}
    for name, job in content["jobs"].items():
        assert int(job["timeout-minutes"]) <= (120 if path.name == "grade.yml" else 60), name
        writes = {right for right, level in job.get("permissions", {}).items() if level == "write"}
        assert not writes or (path.name, name, writes) == ("site.yml", "deploy", {"pages", "id-token"})
        for needed in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
            assert needed in content["jobs"], f"{name} needs {needed}, which is no job"
        for step in job["steps"]:
            used = step.get("uses")
            if used:
                assert re.fullmatch(r"[\w.-]+/[\w.-]+@v\d+|docker://[\w./-]+:\d+\.\d+\.\d+", used), f"{name}: {used} is not pinned"
            if used and used.startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] == "false", f"{name} leaves its token in the working copy"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_expressions_name_things_that_exist(path: Path):
    for name, job in jobs(path).items():
        matrix = job.get("strategy", {}).get("matrix", {})
        steps = {step["id"] for step in job["steps"] if "id" in step}
        text = json.dumps(job)
        assert set(re.findall(r"\bmatrix\.(\w+)", text)) == set(matrix), name
        assert set(re.findall(r"\bsteps\.(\w+)", text)) == steps, name


def test_every_command_of_a_workflow_is_one_that_people_use():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    readme = {line.replace("/", "\\") for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()}
    for path in [path for path in WORKFLOWS if path.name != "grade.yml"]:  # it has a test of its own, below
        for command in commands(path):
            if command.split()[0] == "make":
                unknown = [word for word in command.split()[1:] if "=" not in word and word not in targets]
                assert not unknown, f"{path.name}: the Makefile has no {unknown}"
            elif not command.startswith(SYSTEM_COMMANDS):
                plain = command.replace("Scripts", "bin").replace("/", "\\")
                assert plain in readme, f"{path.name}: {command} is not in the README"


def test_the_grading_workflow_uses_options_that_the_grader_has():
    help_text = subprocess.run([sys.executable, "-m", "answers.grading", "--help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    merge_text = subprocess.run(
        [sys.executable, "-m", "answers.grading", "merge", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    steps = [step["run"] for job in jobs(GITHUB / "workflows" / "grade.yml").values() for step in job["steps"] if "run" in step]
    grading = [run for run in steps if "answers.grading" in run]
    assert len(grading) == 3
    for run in grading:
        known = merge_text if "answers.grading merge" in run else help_text
        for option in re.findall(r"(?<!\S)--[a-z-]+", run):
            assert option in known, f"grade.yml: the grader has no {option}"
    assert steps.count("make env") == 3


def test_windows_runs_all_the_plain_commands_in_order():
    blocks = re.findall(r"^```\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    plain = [line for block in blocks for line in block.splitlines() if "jupyterlab" not in line and "pytest --quiet" not in line]
    run = [step["run"] for step in jobs(GITHUB / "workflows" / "site.yml")["windows"]["steps"] if "run" in step]
    assert [command.replace("\\Scripts\\", "/bin/") for command in run] == plain


def test_every_promised_system_and_python_is_tested():
    content = jobs(GITHUB / "workflows" / "site.yml")
    pythons = ["3.11", "3.12", "3.13"]
    assert content["test"]["strategy"]["matrix"] == {"system": ["ubuntu-latest", "macos-latest"], "python": pythons}
    assert content["windows"]["strategy"]["matrix"] == {"python": pythons}
    assert set(content["build"]["needs"]) == set(content) - {"build", "deploy"}, "a site could be published untested"


def test_make_takes_the_requirements_that_the_weekly_run_names(tmp_path: Path):
    assert "make test REQUIREMENTS=requirements.in" in commands(GITHUB / "workflows" / "weekly.yml")
    for name in ("Makefile", "requirements.in", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    dry = subprocess.run(["make", "--dry-run", "env", "REQUIREMENTS=requirements.in"], cwd=tmp_path, capture_output=True, text=True)
    assert "--requirement requirements.in" in dry.stdout, dry.stdout + dry.stderr


def test_the_lock_says_how_it_was_compiled():
    """Dependabot compiles it again with the options it reads there."""
    head = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()[:2]
    assert "uv pip compile" in head[1] and "--universal" in head[1] and "--python-version 3.11" in head[1], head


# Binder and the dev container


def imports(source: str) -> set[str]:
    """The packages that a cell imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def local_modules(folder: Path) -> set[str]:
    return {path.stem for path in folder.rglob("*.py")} | {path.name for path in ROOT.iterdir() if path.is_dir()}


def test_binder_installs_what_the_notebooks_import():
    lines = [line.split("#")[0].strip() for line in (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    references = [line.split(maxsplit=1)[1] for line in lines if line.startswith("-")]
    assert [(ROOT / "binder" / name).resolve() for name in references] == [ROOT / "requirements.txt"]
    packages = {line for line in lines if line and not line.startswith("-")}
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert not [name for name in packages if not re.search(rf"^{re.escape(name)}==", lock, re.MULTILINE)]
    needed = set()
    for path in page_notebooks():
        for cell in read_notebook(path).cells:
            if cell.cell_type == "code":
                needed |= imports(cell.source) - local_modules(path.parent) - set(sys.stdlib_module_names)
    assert {"numpy", "matplotlib"} <= needed
    assert needed <= packages, "a notebook imports what Binder lacks"


def test_binder_and_dev_container_use_a_tested_python():
    tested = jobs(GITHUB / "workflows" / "site.yml")["test"]["strategy"]["matrix"]["python"]
    assert (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-") in tested
    assert re.search(r"python:\d+-([\d.]+)-", dev_container()["image"]).group(1) in tested


def test_binder_starts_on_a_notebook_that_exists():
    text = (ROOT / "binder" / "README.md").read_text(encoding="utf-8")
    (path,) = re.findall(r"urlpath=lab/tree/(\S+)", text)
    assert (ROOT / path).is_file()


def dev_container() -> dict[str, Any]:
    """Read the settings; whole-line comments are allowed there, and nowhere else in JSON."""
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    return json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


def test_the_dev_container_installs_what_ci_installs():
    settings = dev_container()
    needed = re.findall(r"needed\+=\((\w+)\)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert needed and set(needed) <= set(settings["onCreateCommand"].split())
    assert settings["postCreateCommand"] == "make env"
    assert 8888 in settings["forwardPorts"]


# The picture for shared links


def test_the_card_tells_the_truth():
    low, high = proportion_confint(social_card.RIGHT, social_card.QUESTIONS, method="wilson")
    assert (social_card.LOW, social_card.HIGH) == (round(100 * low, 2), round(100 * high, 2))
    for number in (social_card.RIGHT, social_card.QUESTIONS, social_card.LOW, social_card.HIGH):
        assert f"{number}" in social_card.ALTERNATIVE_TEXT


def test_the_card_is_what_its_script_draws(tmp_path: Path):
    social_card.draw(tmp_path / "card.png")
    stored, drawn = image.imread(social_card.CARD), image.imread(tmp_path / "card.png")
    assert stored.shape[:2] == drawn.shape[:2] == (social_card.HEIGHT, social_card.WIDTH)
    # Text is rasterised a little differently from one version of matplotlib to the next.
    assert numpy.abs(stored[..., :3] - drawn[..., :3]).mean() < 0.01
    assert social_card.CARD.stat().st_size < 100_000


# The site as it is published


class Head(HTMLParser):
    """Collects a page's meta tags, its canonical link and its <base>."""

    def __init__(self) -> None:
        super().__init__()
        self.meta: dict[str, list[str]] = {}
        self.canonical: str | None = None
        self.base: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag == "meta" and (found.get("name") or found.get("property")):
            self.meta.setdefault(found.get("name") or found["property"], []).append(found.get("content") or "")
        if tag == "link" and found.get("rel") == "canonical":
            self.canonical = found.get("href")
        if tag == "base":
            self.base = found.get("href")


def head(path: Path) -> Head:
    parser = Head()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def written_pages(folder: Path) -> list[Path]:
    """The course's own pages, without those that Sphinx makes."""
    made = {"404.html", "search.html", "genindex.html"}
    return [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts and path.name not in made]


def test_every_page_describes_itself(site: Path):
    descriptions = {}
    for path in written_pages(site):
        (description,) = head(path).meta["description"]
        assert 20 <= len(description) <= 160, f"{path.name}: {description}"
        assert "\\" not in description and "$" not in description, f"{path.name} begins with a formula: {description}"
        assert description not in descriptions.values(), f"{path.name} begins like another page: {description}"
        descriptions[path] = description


def test_a_site_without_an_address_claims_none(site: Path):
    assert not (site / "sitemap.xml").exists()
    for path in [*written_pages(site), site / "404.html"]:
        found = head(path)
        assert found.canonical is None and found.base is None
        assert not [name for name in found.meta if name.startswith(("og:", "twitter:"))]


def build_mini_site(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Build a book of two pages with this project's settings and extensions."""
    for name in ("_ext", "_static", "_templates"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "chapters").mkdir()
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n  - file: chapters/one\n", encoding="utf-8")
    (folder / "index.md").write_text("# Front\n\nThe *first* page & its \"sentence\".\n\nNot this one.\n", encoding="utf-8")
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}}
    notebook["cells"] = [{"id": "one", "cell_type": "markdown", "metadata": {}, "source": "# One\n\n" + "A long sentence. " * 20}]
    (folder / "chapters" / "one.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if name != "SITE_URL" and not name.startswith("GITHUB_")}
    return subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-W", "-n", "--keep-going"],
        cwd=folder, capture_output=True, text=True, env={**clean, **environment},
    )  # fmt: skip


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    run = build_mini_site(folder, {"SITE_URL": "https://example.org/course", "GITHUB_REPOSITORY": "someone/course", "GITHUB_REF_NAME": "main"})
    assert run.returncode == 0, run.stdout + run.stderr
    return folder / "_build" / "html"


def test_a_published_page_carries_its_card(published: Path):
    front, one = head(published / "index.html"), head(published / "chapters" / "one.html")
    assert front.canonical == "https://example.org/course/index.html"
    assert one.canonical == "https://example.org/course/chapters/one.html"
    assert one.meta["og:url"] == [one.canonical]
    assert one.meta["og:title"] == ["One"]
    assert front.meta["description"] == front.meta["og:description"] == ["The first page & its “sentence”."]
    assert re.fullmatch(r"(A long sentence\. ){5,}A long … ?|(A long sentence\. )*.{0,20}…", one.meta["description"][0])
    (picture,) = one.meta["og:image"]
    assert (published / urlsplit(picture).path.removeprefix("/course/")).read_bytes() == social_card.CARD.read_bytes()
    assert one.meta["og:image:alt"] == [social_card.ALTERNATIVE_TEXT]


def test_the_sitemap_lists_every_page_once(published: Path):
    tree = ElementTree.parse(published / "sitemap.xml")
    found = [place.text for place in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert found == [f"https://example.org/course/{path.relative_to(published).as_posix()}" for path in written_pages(published)]


def test_a_published_notebook_has_a_button_for_binder(published: Path):
    address = "https://mybinder.org/v2/gh/someone/course/main?urlpath=lab/tree/chapters/one.ipynb"
    assert f'href="{address}"' in (published / "chapters" / "one.html").read_text(encoding="utf-8")


def test_a_wrong_address_stops_the_build_with_a_sentence(tmp_path: Path):
    run = build_mini_site(tmp_path, {"SITE_URL": "example.org/course"})
    assert run.returncode != 0
    assert "SITE_URL is 'example.org/course', which is not the address of a site" in run.stdout + run.stderr


@pytest.fixture(scope="module")
def address(published: Path) -> Iterator[str]:
    """Serve the published site as GitHub Pages does: under a folder, and with 404.html where there is no page."""

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            file = published / path.removeprefix("/course/") if path.startswith("/course/") else published / "nowhere"
            there = file.is_file()
            content = (file if there else published / "404.html").read_bytes()
            kinds = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8"}
            self.send_response(200 if there else 404)
            self.send_header("Content-Type", kinds.get(file.suffix if there else ".html", "application/octet-stream"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # the browser may have gone on to another page
                self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/course/"
        server.shutdown()


def test_a_dead_address_shows_a_whole_page(address: str, page: Page):
    dead = f"{address}no/such/page.html"
    answers: list[tuple[int, str]] = []
    page.on("response", lambda response: answers.append((response.status, response.url)))
    page.goto(dead)
    page.wait_for_load_state("networkidle")
    assert answers[0] == (404, dead)
    assert len(answers) > 5 and [url for status, url in answers[1:] if status != 200] == []
    assert page.get_by_role("heading", level=1, name="Page not found").is_visible()

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')").endswith("#main-content")
    page.keyboard.press("Enter")
    assert page.url == f"{dead}#main-content"  # and not the front page's

    page.get_by_role("link", name="front page").click()
    assert page.url == f"{address}index.html"
    page.goto(dead)
    page.get_by_role("link", name="search the course").click()
    assert page.url.startswith(f"{address}search.html")
