"""When Python looks for garbage that is a cycle: seldom, and never in what lives as long as the process.

A look through everything stops every session of a node for as long as it takes; so what is there when the node has loaded what it works with is left out
for good. A look at what is new costs a tenth of the loop's time under load, and finds nothing: no request leaves a cycle behind
(tests/unit/test_garbage.py). Does not know sessions.
"""

from __future__ import annotations

import gc
from typing import Final

NEW_OBJECTS: Final = 10_000
"""So many more than before, and they are looked at. The requests that a busy node has under way are fewer."""


def loaded() -> None:
    """The process has loaded what it works with. Idempotent."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
