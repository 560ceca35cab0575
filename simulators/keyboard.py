"""Lines from the keyboard, a pipe or a file, awaited on the loop: nobody sits in a read that only another line would end.

Does not know what a line means. Its end may lack; bytes that are no UTF-8 come as surrogates.
"""

from __future__ import annotations

import asyncio
import os


class Lines:
    """Of an open file. Use as a context manager, on the loop that awaits `next`."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._read = b""
        self._over = self._watched = False
        self._more = asyncio.Event()

    def __enter__(self) -> Lines:
        try:
            asyncio.get_running_loop().add_reader(self._file, self._take)
            self._watched = True
        except PermissionError:  # a plain file: a read never waits
            pass
        return self

    def __exit__(self, *error: object) -> None:
        self._unwatch()

    async def next(self) -> str:
        """The next line; "" at the end."""
        while b"\n" not in self._read and not self._over:
            self._more.clear()
            if self._watched:
                await self._more.wait()
            else:
                self._take()
        line, newline, self._read = self._read.partition(b"\n")
        return (line + newline).decode("utf-8", "surrogateescape")

    def _take(self) -> None:
        """Something is there, so this does not wait."""
        read = os.read(self._file, 65_536)
        self._read += read
        self._more.set()
        if not read:
            self._over = True
            self._unwatch()

    def _unwatch(self) -> None:
        if self._watched:
            asyncio.get_running_loop().remove_reader(self._file)
            self._watched = False
