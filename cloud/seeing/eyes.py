"""The node's eyes for skills: text and codes of one picture, off the loop, in the threads that the models have. Implements harness.skills.eyes.Eyes.

An adapter; shared by all sessions. Does not know what is asked of a picture, or whether it may be looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from ridealong.cloud.seeing.codes import codes_in
from ridealong.cloud.seeing.text import LazyReader, TextLine
from ridealong.harness.skills.eyes import Code


@dataclass(frozen=True, slots=True)
class NodeEyes:
    reader: LazyReader
    executor: Executor

    def fault(self) -> str:
        return self.reader.fault()

    async def lines(self, jpeg: bytes) -> Sequence[TextLine]:
        return await asyncio.get_running_loop().run_in_executor(self.executor, self.reader.read_jpeg, jpeg)

    async def codes(self, jpeg: bytes) -> Sequence[Code]:
        return await asyncio.get_running_loop().run_in_executor(self.executor, codes_in, jpeg)
