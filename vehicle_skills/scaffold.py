"""`ridealong skills new NAME`: a working skill with its signal, its test and its packaging, in a folder of its own.

What is written passes `skills check` and its own test as it stands; everything in it is meant to be changed. Does not know what skills there are, apart from the names that are taken.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import keyword
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Final

from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.vehicle_skills.builtin import builtin_registry

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
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in ("ridealong", "tests", "conftest"):
        raise UserError(f"{name!r} can't be the name of a package: use small letters, digits and _, such as scent_diffuser.")
    root = folder / name
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root} is there already and not empty: choose another name, or --path.")
    if (whose := taken(name)) is not None:
        raise UserError(f"{name!r} is {whose} already, and a package of that name would be taken for it: use {other(name)}.")
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


def taken(name: str) -> str | None:
    """Whose name this is: of a module that Python finds, which the new package would stand in front of, or of a group of skills."""
    if name in sys.stdlib_module_names or name in sys.builtin_module_names:
        return "a module of Python's own"
    if name in {skill.group for skill in builtin_registry()}:
        return "a group of built-in skills"
    try:
        found = importlib.util.find_spec(name)
    except ValueError:  # it is loaded, and doesn't say from where
        return "a module that is installed"
    return "a module that is installed" if found is not None and found.origin is not None else None  # a mere folder is none


def other(name: str) -> str:
    """The nearest name that is nobody's."""
    stem = name[:24].rstrip("_")
    return next(
        one
        for one in itertools.chain([f"{stem}_skill"], (f"{stem}_skill{number}" for number in itertools.count(2)))
        if taken(one) is None
    )


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
