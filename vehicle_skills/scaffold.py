"""`ridealong skills new NAME`: a working skill with its signal, its test and its packaging, in a folder of its own.

What is written passes `skills check` and its own test as it stands; everything in it is meant to be changed. Does not know what other skills there are.
"""

from __future__ import annotations

import argparse
import keyword
import re
from importlib import resources
from pathlib import Path
from typing import Final

from ridealong.command import Command
from ridealong.errors import UserError

FILES: Final = {
    "pyproject.toml.txt": "pyproject.toml",
    "vehicle.yaml.txt": "vehicle.yaml",
    "README.md.txt": "README.md",
    "init.py.txt": "{name}/__init__.py",
    "skill.py.txt": "{name}/skill.py",
    "plan.py.txt": "{name}/plan.py",
    "test_skill.py.txt": "tests/test_{name}.py",
}
"""template -> where it goes."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{1,30}")


def write(name: str, folder: Path) -> list[Path]:
    """The files written, in `folder`/`name`. Raises UserError, and writes nothing, where the name is none or the folder is not empty."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in ("ridealong", "tests"):
        raise UserError(f"{name!r} can't be the name of a package: use small letters, digits and _, such as scent_diffuser.")
    root = folder / name
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root} is there already and not empty: choose another name, or --path.")
    templates = resources.files("ridealong.vehicle_skills").joinpath("templates")
    words = {"name": name, "words": name.replace("_", " "), "signal": "".join(part.capitalize() for part in name.split("_"))}
    made = []
    for template, place in FILES.items():
        text = templates.joinpath(template).read_text(encoding="utf-8")
        for key, value in words.items():
            text = text.replace(f"@{key}@", value)
        file = root / place.format(name=name)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{file} can't be written ({error.strerror}): choose another folder with --path.") from error
        made.append(file)
    return made


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="of the package, such as scent")
    parser.add_argument("--path", type=Path, default=Path(), help="the folder to write it into (default: this one)")


def _run(options: argparse.Namespace) -> int:
    for file in write(options.name, options.path):
        print(file)
    root = options.path / options.name
    print(
        f"\nNext:\n  cd {root}\n  python -m pytest\n  ridealong skills check --path . --vehicle vehicle.yaml\n"
        f'  ridealong skills try "set the {options.name.replace("_", " ")} to thirty percent" --path . --vehicle vehicle.yaml'
    )
    return 0


NEW: Final = Command("Write a new skill: a package with a signal, a skill, its plan and its test.", _configure, _run)
