"""One frozen configuration value from YAML < environment < flags, with the place that each value came from.

    load(DeviceConfig, file, "RIDEALONG_DEVICE", os.environ, {"microphone.kind": "file"})  ->  Loaded(value, origins)

A configuration is a tree of frozen dataclasses whose leaves are bool, int, float, str, Path, Enum, tuple[str, ...] or any of
these with `| None`; or a list of entries, tuple[D, ...] with D a frozen dataclass of such leaves and of Mapping[str, leaf]. Anything that does not fit raises UserError with the key, the place and the nearest valid key.

Does not know: what any value means. Checks across values belong to the dataclass's own `check() -> str | None`.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml

from ridealong.errors import UserError
from ridealong.yaml_file import Loader, load_yaml

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[T]):
    """`origins`: dotted key -> "default", the file's name and line, "environment NAME" or "flag"."""

    value: T
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Given:
    """`places`: where inner values stand, by their dotted key, as far as it is known."""

    raw: Any
    origin: str
    places: Mapping[str, str] = dataclasses.field(default_factory=dict)


def load(
    tree: type[T],
    file: Path | None = None,
    prefix: str = "",
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Loaded[T]:
    """Raises UserError for an unreadable file, an unknown key, a value of the wrong kind, or a failed `check()`."""
    given: dict[str, _Given] = {}
    known = leaves(tree)
    if file is not None:
        for key, entry in _read_file(file).items():
            given[_known(key, known, entry.origin)] = entry
    if prefix:
        for name, text in (environ or {}).items():
            if name.startswith(f"{prefix}__"):
                key = name[len(prefix) + 2 :].lower().replace("__", ".")
                given[_known(key, known, f"environment {name}")] = _Given(_from_text(text), f"environment {name}")
    for key, raw in (flags or {}).items():
        if raw is not None:
            given[_known(key, known, "flag")] = _Given(raw, "flag")
    value = _build(tree, "", given)
    origins = {key: given[key].origin if key in given else "default" for key in known}
    return Loaded(value, origins)


def leaves(tree: type, path: str = "") -> dict[str, Any]:
    """Dotted key -> type of every leaf."""
    hints = typing.get_type_hints(tree)
    found: dict[str, Any] = {}
    for field in dataclasses.fields(tree):
        key = f"{path}{field.name}"
        hint = hints[field.name]
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            found.update(leaves(hint, f"{key}."))
        else:
            found[key] = hint
    return found


def describe(loaded: Loaded[Any]) -> str:
    """Every value as YAML, one a line, with its origin as a comment."""
    lines: list[str] = []
    _describe(loaded.value, "", 0, loaded.origins, lines)
    width = min(72, max((len(left) for left, _ in map(_split, lines)), default=0))
    return "\n".join(f"{left:<{width}}  # {right}" if right else left for left, right in map(_split, lines)) + "\n"


def _split(line: str) -> tuple[str, str]:
    left, _, right = line.partition("\0")
    return left, right


def _describe(value: Any, path: str, depth: int, origins: Mapping[str, str], lines: list[str]) -> None:
    for field in dataclasses.fields(value):
        key, inner = f"{path}{field.name}", getattr(value, field.name)
        if dataclasses.is_dataclass(inner):
            lines.append(f"{'  ' * depth}{field.name}:")
            _describe(inner, f"{key}.", depth + 1, origins, lines)
        else:
            text = yaml.safe_dump(_plain(inner), default_flow_style=True, width=10_000).strip().removesuffix("...").strip()
            lines.append(f"{'  ' * depth}{field.name}: {text}\0{origins.get(key, 'default')}")


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case Path():
            return str(value)
        case tuple():
            return [_plain(item) for item in value]
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case _:
            return value


class _Unique(Loader):
    """Refuses a key given twice: the later would silently win."""


def _mapping(loader: _Unique, node: yaml.MappingNode) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(loader.construct_object(key_node, deep=True))  # type: ignore[no-untyped-call]
        line = key_node.start_mark.line + 1
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is given twice", key_node.start_mark)
        seen[key] = (loader.construct_object(value_node, deep=True), line)  # type: ignore[no-untyped-call]
    return seen


_Unique.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _read_file(file: Path) -> dict[str, _Given]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"there is no configuration file {file}; --config names one that exists.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UserError(f"the configuration file {file} cannot be read: {reason}.") from None
    try:
        tree = load_yaml(text, _Unique)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise UserError(
            f"{file} is not valid YAML{where}: {getattr(error, 'problem', None) or str(error).splitlines()[0]}."
        ) from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise UserError(f"{file} must hold `section:` with `key: value` lines below it, not {_kind(tree)}.")
    given: dict[str, _Given] = {}
    _flatten(tree, "", file, given)
    return given


def _flatten(tree: dict[str, Any], path: str, file: Path, given: dict[str, _Given]) -> None:
    for key, (value, line) in tree.items():
        if isinstance(value, dict):
            _flatten(value, f"{path}{key}.", file, given)
        else:
            given[f"{path}{key}"] = _Given(_strip(value), f"{file.name}:{line}")


def _strip(value: Any) -> Any:
    """Lists without their lines. The entries of a list keep theirs, as (value, line): see `_entries`."""
    return [_strip(item) for item in value] if isinstance(value, list) else value


def _unlined(value: Any) -> Any:
    match value:
        case (inner, int()) if isinstance(value, tuple):  # a list may hold two things of which the second is a number, too
            return _unlined(inner)
        case dict():
            return {key: _unlined(inner) for key, inner in value.items()}
        case list():
            return [_unlined(inner) for inner in value]
        case _:
            return value


def _places(value: Any, key: str, file: str) -> dict[str, str]:
    """Dotted key -> file:line of everything in a section that lies within an entry of a list."""
    found: dict[str, str] = {}
    inner = value[0] if isinstance(value, tuple) else value
    if isinstance(inner, dict):
        for name, lined in inner.items():
            if isinstance(lined, tuple):
                found[f"{key}.{name}"] = f"{file}:{lined[1]}"
            found.update(_places(lined, f"{key}.{name}", file))
    return found


def _entries(raw: Any, item: type, key: str, origin: str) -> tuple[Any, ...]:
    """A list of sections, each with keys of its own."""
    if not isinstance(raw, list | tuple) or not all(isinstance(entry, dict | item) for entry in raw):
        raise UserError(
            f"{origin}: {key!r} must be a list of entries with the keys {', '.join(leaves(item))}, such as "
            f"`- {{{next(iter(leaves(item)))}: …}}`, not {_kind(raw)} {_plain(_unlined(raw))!r}."
        )
    built = []
    for number, entry in enumerate(raw):
        if isinstance(entry, item):
            built.append(entry)
            continue
        path, given = f"{key}[{number}].", {}
        known = {f"{path}{name}": leaf for name, leaf in leaves(item).items()}
        file = origin.rsplit(":", 1)[0]
        lines = [value[1] for value in entry.values() if isinstance(value, tuple)]
        for name, value in entry.items():
            place = f"{file}:{value[1]}" if isinstance(value, tuple) else origin
            inner = f"{path}{name}"
            given[_known(inner, known, place)] = _Given(_unlined(value), place, _places(value, inner, file))
        built.append(_build(item, path, given, f"{file}:{min(lines)}" if lines else origin))
    return tuple(built)


def _known(key: str, known: Mapping[str, Any], origin: str) -> str:
    if key in known:
        return key
    sections = [name for name in known if name.startswith(f"{key}.")]
    if sections:
        raise UserError(f"{origin}: {key!r} is a section; give its keys, for example {sections[0]!r}.")
    section, _, leaf = key.rpartition(".")
    if section in known and _of_entries(known[section]) is not None:
        raise UserError(f"{origin}: {section!r} is a list: begin each of its entries with `- `, as in `- {leaf}: …`.")
    beside = {name.rpartition(".")[2]: name for name in known if section and name.rpartition(".")[0] == section}
    near = (
        [beside[name] for name in difflib.get_close_matches(leaf, beside, n=1, cutoff=0.5)]
        or [name for name in known if name.rpartition(".")[2] == leaf]
        or ([] if beside else difflib.get_close_matches(key, known, n=1, cutoff=0.5))
    )
    if near:
        hint = f"did you mean {near[0]!r}?"
    elif beside:
        hint = f"{section} has {', '.join(beside)}."
    else:
        hint = f"the sections and keys are {', '.join(sorted({name.split('.')[0] for name in known}))}."
    raise UserError(f"{origin}: there is no setting {key!r}; {hint}")


def _from_text(text: str) -> Any:
    """The environment has only text: read it as a YAML scalar or list."""
    try:
        value = load_yaml(text)
    except yaml.YAMLError:
        return text
    return text if isinstance(value, dict) or (value is None and text.strip().lower() not in ("null", "~", "")) else value


def _build(tree: type[T], path: str, given: Mapping[str, _Given], place: str = "") -> T:
    """`place`: of the entry that this is, in a list of them."""
    hints = typing.get_type_hints(tree)
    values: dict[str, Any] = {}
    for field in dataclasses.fields(tree):  # type: ignore[arg-type]
        key, hint = f"{path}{field.name}", hints[field.name]
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            values[field.name] = _build(hint, f"{key}.", given)
        elif key in given:
            values[field.name] = _convert(given[key], hint, key)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            where = f"{place}: " if place else ""
            raise UserError(f"{where}the setting {key!r} is missing and has no default; add it to the configuration file.")
    value = tree(**values)
    check = getattr(value, "check", None)
    wrong = check() if callable(check) else None
    if wrong:
        raise UserError(f"{place or _blamed(wrong, path, given)}: {wrong}")
    return value


def _blamed(wrong: str, path: str, given: Mapping[str, _Given]) -> str:
    """The places of the keys that the sentence names; of all that the section was given, where it names none of them."""
    words = set(re.findall(r"\w+", wrong))
    all_of = {key: entry.origin for key, entry in given.items() if key.startswith(path)}
    named = {origin for key, origin in all_of.items() if key.removeprefix(path).rsplit(".", 1)[-1] in words}
    return ", ".join(sorted(named or set(all_of.values()), key=_by_line)) or "defaults"


def _by_line(origin: str) -> tuple[str, int]:
    file, _, line = origin.rpartition(":")
    return (file, int(line)) if line.isdigit() else (origin, 0)


def _of_entries(hint: Any) -> type | None:
    """The dataclass of a list's entries, where it is a list of sections."""
    item = typing.get_args(hint)[0] if typing.get_origin(hint) is tuple else None
    return typing.cast(type, item) if dataclasses.is_dataclass(item) else None


def _convert(entry: _Given, hint: Any, key: str) -> Any:
    raw, origin = entry.raw, entry.origin
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union else (hint,)
    if raw is None and type(None) in options:
        return None
    plain = [option for option in options if option is not type(None)]
    if len(plain) == 1 and (item := _of_entries(plain[0])) is not None:
        return _entries(raw, item, key, origin)
    for option in plain:
        accepted, value = _accept(raw, option)
        if accepted:
            return value
    if len(plain) == 1:
        key, raw, plain = _culprit(raw, plain[0], key)
    wanted = " or ".join(_wanted(option) for option in plain)
    remedy = "; write it in quotes" if plain == [str] and isinstance(raw, int | float) else ""
    raise UserError(f"{entry.places.get(key, origin)}: {key!r} must be {wanted}, not {_kind(raw)} {_plain(raw)!r}{remedy}.")


def _culprit(raw: Any, option: Any, key: str) -> tuple[str, Any, list[Any]]:
    """The innermost value that does not fit: its key, itself, and what it should have been."""
    inner: list[tuple[str, Any]] = []
    if typing.get_origin(option) is tuple and isinstance(raw, list | tuple):
        inner = [(f"{key}[{number}]", one) for number, one in enumerate(raw)]
    elif typing.get_origin(option) is Mapping and isinstance(raw, Mapping):
        inner = [(f"{key}.{name}", one) for name, one in raw.items()]
    wanted = typing.get_args(option)[-1 if typing.get_origin(option) is Mapping else 0] if inner else None
    for name, one in inner:
        if not _accept(one, wanted)[0]:
            return _culprit(one, wanted, name)
    return key, raw, [option]


def _accept(raw: Any, option: Any) -> tuple[bool, Any]:
    if typing.get_origin(option) is tuple:
        item = typing.get_args(option)[0]
        if isinstance(raw, list | tuple):
            pairs = [_accept(entry, item) for entry in raw]
            return all(accepted for accepted, _ in pairs), tuple(value for _, value in pairs)
        return False, None
    if typing.get_origin(option) is Mapping:
        if isinstance(raw, Mapping):
            accepted = [(name, *_accept(entry, typing.get_args(option)[1])) for name, entry in raw.items()]
            return all(isinstance(name, str) and ok for name, ok, _ in accepted), {name: value for name, _, value in accepted}
        return False, None
    if isinstance(option, type) and issubclass(option, Enum):
        return next(((True, member) for member in option if raw in (member, member.value)), (False, None))
    if option is bool:
        return isinstance(raw, bool), raw
    if option is int:
        return isinstance(raw, int) and not isinstance(raw, bool), raw
    if option is float:
        number = isinstance(raw, int | float) and not isinstance(raw, bool)
        return number, float(raw) if number else raw
    if option is Path:
        return isinstance(raw, str | Path) and str(raw) != "", Path(raw) if isinstance(raw, str | Path) else raw
    if option is str:
        return isinstance(raw, str), raw
    return False, None


def _wanted(option: Any) -> str:
    if typing.get_origin(option) is tuple:
        return f"a list of {_wanted(typing.get_args(option)[0])}"
    if typing.get_origin(option) is Mapping:
        return f"a section of names with {_wanted(typing.get_args(option)[1])} each"
    if isinstance(option, type) and issubclass(option, Enum):
        return "one of " + ", ".join(str(member.value) for member in option)
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "a path"}
    return names.get(option, getattr(option, "__name__", str(option)))


def _kind(raw: Any) -> str:
    names: dict[type, str] = {bool: "the switch", int: "the number", float: "the number", str: "the text", list: "the list",
        dict: "the section"}  # fmt: skip
    return names.get(type(raw), "nothing" if raw is None else type(raw).__name__)
