"""What is claimed of numbers, files and submissions, tried again on real input by the touchstone command.

    .venv/bin/python benchmarks/real_files.py [--shared DIR] [--without-claims]

- statistics: every coefficient of the golden file, as other packages have computed it;
- files: each published data set goes into a project and comes out, and is compared byte for byte;
- answers: models' answers made from real items so that it is known how many are right, in the dresses in which models
  put them; accuracy as ``touchstone result show`` gives it next to that;
- replies: the files of texts that are hard to read, judges' and models', with what a careful person reads from each;
- submissions: ``benchmarks/claims.py --quick``, in which processes are killed as they submit.

The published files may not be redistributed: they are looked for in ``../shared``. A table goes to standard error; the
last line of the output is one JSON object. The exit status is 1 if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from testkit.paths import ROOT
from testkit.serving import COMMAND, environment


@dataclass(frozen=True)
class Study:
    """One line of the table."""

    name: str
    tried: int
    wrong: int
    said: str = ""

    @property
    def right(self) -> bool:
        """Whether something was tried, and nothing was wrong."""
        return self.tried > 0 and not self.wrong


def main() -> int:
    """Run the studies and print what came of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", metavar="DIR")
    parser.add_argument("--without-claims", action="store_true", help="leave out the submissions, which take minutes")
    given = parser.parse_args()
    if not (given.shared / "data").is_dir():
        print(f"{given.shared} has no published files; name their folder with --shared.", file=sys.stderr)
        return 2
    found: list[Study] = []
    with tempfile.TemporaryDirectory(prefix="touchstone-real-files-") as name:
        for study in studies(given.shared, Path(name), claims=not given.without_claims):
            machine.log(f"{study.name}: {study.tried:,} tried, {study.wrong:,} wrong. {study.said}")
            found.append(study)
    print(f"{'study':<44} {'tried':>7} {'wrong':>6}", file=sys.stderr)
    for study in found:
        print(f"{study.name:<44} {study.tried:>7,} {study.wrong:>6,}  {study.said}", file=sys.stderr)
    rows = {study.name: {"tried": study.tried, "wrong": study.wrong, "said": study.said} for study in found}
    print(json.dumps({"studies": rows, "all_right": all(study.right for study in found)}))
    return 0 if all(study.right for study in found) else 1


def studies(shared: Path, folder: Path, *, claims: bool) -> Iterator[Study]:
    """All of them, one after the other."""
    yield statistics(shared / "golden" / "agreement_golden.json")
    yield from files(shared / "data", folder)
    yield from answers(shared / "data", folder)
    yield from replies(shared / "data" / "replies", folder)
    if claims:
        yield submissions()


# ---- what runs the command ------------------------------------------------------------------------------------------


def command(*arguments: str | Path, home: Path, may_fail: bool = False) -> str:
    """What the touchstone command prints."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not may_fail:
        raise RuntimeError(f"touchstone {' '.join(map(str, arguments))}: {done.stderr or done.stdout}")
    return done.stdout


def project(schema: str, path: Path, home: Path) -> None:
    """A project called as its schema, with a benchmark's own files."""
    home.mkdir(parents=True, exist_ok=True)
    command("project", "create", schema, "--schema", schema, home=home)
    command("item", "import", schema, schema, path, home=home)


# ---- the studies ----------------------------------------------------------------------------------------------------


def statistics(golden: Path) -> Study:
    """Coefficients against other packages'."""
    run = subprocess.run(
        [sys.executable, "-m", "agreement.golden", str(golden)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    passed, failed = (int(each) for each in re.findall(r"(\d+) (?:passed|failed)", run.stdout.splitlines()[-1]))
    return Study("statistics of the golden file", passed + failed, failed)


def files(data: Path, folder: Path) -> Iterator[Study]:
    """Published files in and out."""
    published = {
        "egothink": data / "egothink" / "data",
        "egoplan": data / "egoplan" / "EgoPlan_validation.json",
        "pca_bench": data / "pca_bench",
    }
    for schema, path in published.items():
        home, out = folder / "files" / schema, folder / "files" / f"{schema}-out"
        project(schema, path, home)
        command("item", "export", schema, schema, "--out", out, home=home)
        came = {each.name if path.is_file() else each.relative_to(path).as_posix(): each for each in _data_files(path)}
        wrong = [name for name, each in came.items() if _read(_there(out, name)) != each.read_bytes()]
        yield Study(f"{schema}: files byte for byte", len(came), len(wrong), ", ".join(wrong[:3]))


def _data_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(each for each in path.rglob("*.json"))


def _there(out: Path, name: str) -> Path:
    return out if out.is_file() else out / name


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


LETTER_DRESSES = ("{letter}", "{letter}.", "({letter})", "Answer: {letter}", "Option {letter}", "{letter}. {text}")
SAID = "The best action is {letter}. {text}"


def answers(data: Path, folder: Path) -> Iterator[Study]:
    """Accuracy of answers of which it is known how many are right."""
    rng = Random(1)
    items = json.loads((data / "egoplan" / "EgoPlan_validation.json").read_text(encoding="utf-8"))
    egoplan = [
        (
            str(each["sample_id"]),
            [each[f"choice_{letter}"] for letter in "abcd"],
            "ABCD".index(each["golden_choice_idx"]),
        )
        for each in rng.sample(items, 400)
    ]
    home = folder / "answers" / "egoplan"
    project("egoplan", data / "egoplan" / "EgoPlan_validation.json", home)
    for share in (1.0, 0.0, 0.75):
        yield _accuracy("egoplan", egoplan, share, LETTER_DRESSES, home, rng)
    home = folder / "answers" / "pca_bench"
    project("pca_bench", data / "pca_bench", home)
    told = [json.loads(line) for line in _exported_items("pca_bench", home, folder)]
    pca = [(each["item"], each["options"], each["right"]) for each in rng.sample(told, min(200, len(told)))]
    for share in (1.0, 0.0, 0.75):
        yield _accuracy("pca_bench", pca, share, (SAID,), home, rng)


def _exported_items(schema: str, home: Path, folder: Path) -> list[str]:
    """PCA-Bench's items have no ids of their own: by what the project calls them, in their order in the files."""
    from db.engine import open_store

    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    try:
        with store.read() as session:
            from db import item_revisions, items, projects

            row = projects.by_name(session, name=schema)
            assert row is not None
            contents = item_revisions.current_content(session, project_id=row.id)
            names = {id: name for id, _, name, _ in items.names(session, project_id=row.id)}
    finally:
        store.close()
    return [
        json.dumps(
            {"item": names[id], "options": fields["actions"], "right": fields["actions"].index(fields["answer"])}
        )
        for id, fields in contents.items()
        if len(set(fields["actions"])) == len(fields["actions"])
    ]


def _accuracy(
    schema: str,
    asked: list[tuple[str, list[str], int]],
    share: float,
    dresses: tuple[str, ...],
    home: Path,
    rng: Random,
) -> Study:
    n_right = round(share * len(asked))
    model = f"right in {share:.0%}"
    rows = []
    for at, (item, options, right) in enumerate(asked):
        texts = [text for text in options if text == options[right]]
        others = [place for place, text in enumerate(options) if text not in texts]
        chosen = right if at < n_right else rng.choice(others)
        dress = rng.choice(dresses)
        rows.append(
            {"item": item, "model": model, "text": dress.format(letter="ABCDEFGH"[chosen], text=options[chosen])}
        )
    path = home / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command("item", "import", schema, "predictions", path, home=home)
    told = json.loads(command("result", "show", schema, "--scores", "key", "--format", "json", home=home))
    lines = [each for board in told["boards"] for each in board["lines"]]
    line = next(
        each for each in lines if each["model"] == model and each["part"] is None and each["mean_over"] == "answers"
    )
    unread = line["unread"] or 0
    wrong = abs(round(line["value"] * line["n"]) - n_right) + unread + (line["n"] != len(asked))
    return Study(f"{schema}: answers {model}", len(asked), wrong, f"accuracy {line['value']:.4f}, {unread} unread")


def replies(folder: Path, scratch: Path) -> Iterator[Study]:
    """Texts that are hard to read: wrong are those of which something was read that no one says."""
    for who, name in (("judge", "judge_replies.jsonl"), ("answers", "model_answers.jsonl")):
        last = command(who, "read", folder / name, home=scratch, may_fail=True).strip().splitlines()[-1]
        good, bad, silent = (int(each) for each in re.findall(r"\d+", last.replace(",", "")))
        yield Study(f"{name}: silently wrong", good + bad, silent, last)


def submissions() -> Study:
    """Submissions through kills: wrong are those that were lost, doubled, or made by who may not."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "claims.py"), "--quick"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = json.loads(run.stdout.splitlines()[-1])
    wrong = sum(told[key] for key in ("overfilled", "lost", "self_verified", "check_differences"))
    return Study("submissions through kills", told["submitted"], wrong, f"{told['kills']} kills")


if __name__ == "__main__":
    sys.exit(main())
