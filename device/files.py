"""A file of the user's as a message to the cloud: read whole, named, bounded. An adapter; does not know what it is for."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from ridealong.errors import UserError
from ridealong.proto.types import MAX_ATTACHMENT_BYTES, Attachment, Samples


def attachment(path: Path, at: Samples) -> Attachment:
    """Raises UserError where it can't be read, is empty or too large."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_ATTACHMENT_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path} can't be read ({error.strerror}): name a file that is there.") from error
    if not data or len(data) > MAX_ATTACHMENT_BYTES:
        raise UserError(f"{path} can't be sent: a file to send has 1 byte to {MAX_ATTACHMENT_BYTES // 1024} KiB.")
    return Attachment(at, path.name, mimetypes.guess_type(path.name)[0] or "application/octet-stream", data)
