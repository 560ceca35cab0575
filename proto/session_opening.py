"""What Hello and Welcome settle: the protocol version, what both ends can do, and whether the session goes on. Pure.

    dialler: Hello  ->  acceptor: refusal or resume_refusal, else agreed  ->  Welcome  ->  dialler: distrust, or open

A session goes on when the token is its own and each end has a number of messages from which the other can go on sending.
Does not know links, time, or what is sent again afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ridealong.proto import types as t
from ridealong.proto.send_buffer import SendBuffer

RESUME_REFUSED: Final = "resume_refused"
DEVICE_IN_USE: Final = "device_in_use"


def refusal(hello: t.Hello) -> t.Error | None:
    """Why this Hello cannot be accepted by any session, as the Error that says so."""
    if hello.version_max < t.VERSION_MIN or hello.version_min > t.VERSION_MAX or hello.version_min > hello.version_max:
        theirs, ours = f"{hello.version_min} to {hello.version_max}", f"{t.VERSION_MIN} to {t.VERSION_MAX}"
        text = f"The device speaks protocol versions {theirs}, this node {ours}: update the older of the two."
        return t.Error("version_refused", text, fatal=True)
    return None


def resume_refusal(hello: t.Hello, token: str, buffer: SendBuffer) -> t.Error | None:
    """Why this Hello cannot go on with the session of `token`, from which `buffer` was sent."""
    if hello.resume_token != token:
        return t.Error(RESUME_REFUSED, "The resume token is not this session's: open a new session.", fatal=True)
    if not buffer.can_resume(hello.received):
        text = f"The device has {hello.received} messages of a session in which {buffer.last_sent} were sent: open a new session."
        return t.Error(RESUME_REFUSED, text, fatal=True)
    return None


def agreed(hello: t.Hello, offer: t.Welcome) -> t.Welcome:
    """The offer, cut down to what the device can do, too. Parts are as the device wants them where the units agree."""
    return replace(
        offer,
        version=min(t.VERSION_MAX, hello.version_max),
        capabilities=tuple(name for name in hello.capabilities if name in offer.capabilities),
        part_ms=hello.part_ms if hello.unit_ms == offer.unit_ms else offer.part_ms,
    )


def distrust(welcome: t.Welcome, token: str, buffer: SendBuffer) -> t.Error | None:
    """Why the dialler cannot take this Welcome."""
    if not t.VERSION_MIN <= welcome.version <= t.VERSION_MAX:
        text = f"The node chose protocol version {welcome.version}, this device speaks {t.VERSION_MIN} to {t.VERSION_MAX}."
        return t.Error("version_refused", text)
    if welcome.resumed and (not token or not buffer.can_resume(welcome.received)):
        text = f"The node has {welcome.received} messages of a session in which {buffer.last_sent} were sent."
        return t.Error(RESUME_REFUSED, text)
    return None
