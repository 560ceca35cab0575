"""Reads the tensors of a PyTorch file in the format from before 2020, without PyTorch and without running anything in it.

The file is four pickles and then the storages' bytes. Only an ordered dictionary, float storages and the tensor constructor are known;
any other global in the file is refused. Does not know: what the tensors are for.
"""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ridealong.errors import UserError

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
Tensors = dict[str, NDArray[np.float32]]


class _Storage:
    def __init__(self, count: int) -> None:
        self.count = count
        self.values: NDArray[np.float32] = np.zeros(0, np.float32)


class _Tensor:
    def __init__(self, storage: _Storage, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: object) -> None:
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    def array(self) -> NDArray[np.float32]:
        strides = tuple(4 * step for step in self.stride)
        view = np.lib.stride_tricks.as_strided(self.storage.values[self.offset :], self.size, strides, writeable=False)
        return np.array(view)


_KNOWN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch", "FloatStorage"): "float32",
    ("torch._utils", "_rebuild_tensor_v2"): _Tensor,
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BinaryIO, storages: dict[str, _Storage]) -> None:
        super().__init__(file)
        self._storages = storages

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _KNOWN[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed") from None

    def persistent_load(self, pid: Any) -> _Storage:
        kind, dtype, key, _, count = pid[:5]
        if kind != "storage" or dtype != "float32":
            raise pickle.UnpicklingError(f"a {dtype} {kind} is not allowed")
        return self._storages.setdefault(str(key), _Storage(int(count)))


def read_tensors(path: Path, group: str) -> Tensors:
    """The float tensors under the top-level key `group`. Raises UserError when the file is something else."""
    storages: dict[str, _Storage] = {}
    try:
        with path.open("rb") as file:
            if _Unpickler(file, storages).load() != MAGIC or _Unpickler(file, storages).load() != PROTOCOL:
                raise ValueError("not such a file")
            _Unpickler(file, storages).load()
            content = _Unpickler(file, storages).load()
            for key in _Unpickler(file, storages).load():
                (count,) = struct.unpack("<q", file.read(8))
                storages[str(key)].values = np.frombuffer(file.read(4 * count), "<f4")
        return {name: tensor.array() for name, tensor in content[group].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, struct.error, pickle.UnpicklingError) as error:
        raise UserError(f"{path} can't be read as a model ({error}); run `ridealong models fetch` again.") from error
