"""Voice prints and the old checkpoint format: nothing in a file is run, a wrong file is one sentence."""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.legacy_checkpoint import MAGIC, PROTOCOL, read_tensors
from ridealong.cloud.frontends.cascade.voiceprint import SHAPES, VoicePrint, similarity
from ridealong.errors import UserError

pytestmark = pytest.mark.unit


class _Global:
    """Pickled as a reference to a global that need not exist here."""

    def __init__(self, module: str, name: str, *arguments: Any) -> None:
        self.module, self.name, self.arguments = module, name, arguments


class _Pickler(pickle._Pickler):  # type: ignore[misc,name-defined]
    """Writes what PyTorch wrote: storages by id, tensors by constructor."""

    def persistent_id(self, obj: object) -> object:
        if isinstance(obj, tuple) and obj and obj[0] == "storage":
            return (obj[0], _Global("torch", "FloatStorage"), *obj[2:])
        return None

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if isinstance(obj, _Global):
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
            if obj.arguments:
                super().save(obj.arguments)
                self.write(pickle.REDUCE)
            return
        super().save(obj, save_persistent_id)


def write(path: Path, tensors: dict[str, np.ndarray], extra: object = None) -> None:
    import io

    body = io.BytesIO()
    for piece in (MAGIC, PROTOCOL, {"little_endian": True}):
        pickle.dump(piece, body, protocol=2)
    state: OrderedDict[str, Any] = OrderedDict()
    for key, (name, values) in enumerate(tensors.items()):
        strides = tuple(step // 4 for step in values.strides)
        storage = ("storage", None, str(key), "cpu", values.size, None)
        state[name] = _Global("torch._utils", "_rebuild_tensor_v2", storage, 0, values.shape, strides, False, OrderedDict())
    _Pickler(body, protocol=2).dump({"model_state": state, "extra": extra})
    pickle.dump([str(key) for key in range(len(tensors))], body, protocol=2)
    for values in tensors.values():
        body.write(struct.pack("<q", values.size) + values.astype("<f4").tobytes())
    path.write_bytes(body.getvalue())


def weights(seed: int = 1) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: (0.1 * random.standard_normal(shape)).astype(np.float32) for name, shape in SHAPES.items()}


def test_tensors_come_back_as_they_were(tmp_path: Path) -> None:
    tensors = weights()
    write(tmp_path / "model.pt", tensors)
    back = read_tensors(tmp_path / "model.pt", "model_state")
    assert all(np.array_equal(back[name], values) for name, values in tensors.items())


def test_a_file_that_wants_to_run_something_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "evil.pt", weights(), extra=_Global("os", "system", "touch /tmp/never"))
    with pytest.raises(UserError, match=r"os\.system is not allowed"):
        read_tensors(tmp_path / "evil.pt", "model_state")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", pickle.dumps(7), pickle.dumps(MAGIC) + pickle.dumps(1001)])
def test_another_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.pt").write_bytes(content)
    with pytest.raises(UserError, match="models fetch"):
        read_tensors(tmp_path / "model.pt", "model_state")


def test_a_model_of_another_shape_is_refused(tmp_path: Path) -> None:
    tensors = weights() | {"linear.bias": np.zeros(7, np.float32)}
    write(tmp_path / "model.pt", tensors)
    with pytest.raises(UserError, match=r"linear\.bias is \(7,\)"):
        VoicePrint(tmp_path / "model.pt")


def test_a_print_is_a_unit_vector_and_level_does_not_matter(tmp_path: Path) -> None:
    write(tmp_path / "model.pt", weights())
    model = VoicePrint(tmp_path / "model.pt")
    sound = np.random.default_rng(2).standard_normal(32_000).astype(np.float32) * 0.01
    one, soft = model.embed(sound), model.embed(sound * 0.1)
    assert one is not None and soft is not None and one.shape == (256,)
    assert float(np.linalg.norm(one)) == pytest.approx(1, abs=1e-5) and similarity(one, soft) > 0.999
    assert model.embed(sound[:2_000]) is None, "too short"
    assert model.embed(sound[:6_000]) is not None
