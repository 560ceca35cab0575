"""A disk that forgets, for programs that write files themselves: at a power cut all is lost that was not fsynced, bytes and names alike.

    disk = LossyFiles(tmp_path, cut_at=7); monkeypatch.setattr(module, "os", disk); …; disk.restart()

Stands in for `os` in a module and does everything for real, below `root`; beside that it keeps of every file and name what is safe. The cut comes before
operation `cut_at` (a change of a file or a name, or an fsync); from then on each fails and changes nothing, and `dead` is true. `restart(rng)` puts
below `root` what is left; with `rng` also a random part of what was not fsynced, sector by sector and name by name. `forgets`: "file" or "folder",
whose fsync does nothing. `full_at`: so many bytes may be written, then the disk is full. Files are only appended to, as the ledger does.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
from pathlib import Path
from typing import Any

from tests.unit.lossy_disk import Image

FOLDER = Image()
"""Stands for any folder."""


class LossyFiles:
    def __init__(self, root: Path, cut_at: int | None = None, forgets: str = "") -> None:
        self.root, self.cut_at, self.forgets = root, cut_at, forgets
        self.operations, self.dead = 0, False
        self.full_at: int | None = None
        self.names: dict[Path, Image] = {}
        self.safe_names: dict[Path, Image] = {}
        self._open: dict[int, Path | Image] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def change(self) -> None:
        self.operations += 1
        self.dead = self.dead or self.operations == self.cut_at
        if self.dead:
            raise OSError(errno.EIO, "power cut")

    def restart(self, rng: random.Random | None = None) -> None:
        names = dict(self.safe_names)
        for path in {*self.names, *names} if rng is not None else ():
            if self.names.get(path) is not names.get(path) and rng is not None and rng.random() < 0.5:
                names[path] = self.names.get(path)  # type: ignore[assignment]
        kept = {path: image for path, image in names.items() if image is not None}
        shutil.rmtree(self.root)
        self.root.mkdir()
        self.names = {}
        for path in sorted(kept, key=lambda path: len(path.parts)):
            if not path.parent.is_dir():
                continue  # its folder is lost, and all in it
            image = self.names[path] = kept[path]
            if image is FOLDER:
                path.mkdir()
            else:
                image.now = image.after_cut(rng)
                image.safe = bytes(image.now)
                path.write_bytes(image.now)
        self.safe_names = dict(self.names)
        self.dead, self.cut_at = False, None

    # --- what the modules call ----------------------------------------------------------------------------------------

    def open(self, path: Path, flags: int, mode: int = 0o777) -> int:
        if path.is_dir():
            descriptor = os.open(path, flags)
            self._open[descriptor] = path
            return descriptor
        if path not in self.names or flags & os.O_TRUNC:
            self.change()
        descriptor = os.open(path, flags, mode)
        self._open[descriptor] = self.names.setdefault(path, Image())
        if flags & os.O_TRUNC:
            self.names[path].now.clear()
        return descriptor

    def write(self, descriptor: int, content: bytes) -> int:
        self.change()
        image = self._image(descriptor)
        room = len(content) if self.full_at is None else max(0, self.full_at - len(image.now))
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = os.write(descriptor, content[:room])
        image.now += content[:done]
        return done

    def ftruncate(self, descriptor: int, length: int) -> None:
        self.change()
        os.ftruncate(descriptor, length)
        del self._image(descriptor).now[length:]

    def fsync(self, descriptor: int) -> None:
        self.change()
        what = self._open[descriptor]
        if isinstance(what, Image):
            if self.forgets != "file":
                what.safe = bytes(what.now)
        elif self.forgets != "folder":
            self.safe_names = {path: image for path, image in self.safe_names.items() if path.parent != what}
            self.safe_names |= {path: image for path, image in self.names.items() if path.parent == what}

    def mkdir(self, path: Path) -> None:
        self.change()
        os.mkdir(path)
        self.names[path] = FOLDER

    def replace(self, source: Path, target: Path) -> None:
        self.change()
        os.replace(source, target)
        self.names[target] = self.names.pop(source)

    def _image(self, descriptor: int) -> Image:
        image = self._open[descriptor]
        assert isinstance(image, Image)
        return image
