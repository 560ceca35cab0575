"""What a token permits at the simulated databroker: scopes as a real one reads them (RFC 9068, `ACTION[:SUBACTION][:PATH]`), and until when.

Actions: read; actuate, which includes read; provide; create. `*` matches one level, a branch covers what lies under it. The signature is not looked at: this
car checks what a client presents and when, not who made it. Pure; the time is given.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass


class NoPermit(Exception):
    """Nothing may be done with this token; the text says why."""


@dataclass(frozen=True, slots=True)
class Permit:
    scopes: tuple[tuple[str, str], ...]  # (action, path pattern; "" for all)
    until_s: float

    def allows(self, action: str, path: str) -> bool:
        wanted = ("actuate", "read") if action == "read" else (action,)
        return any(scope in wanted and _covers(pattern, path) for scope, pattern in self.scopes)

    def over(self, now_s: float) -> bool:
        return now_s >= self.until_s


def token_until(until_s: float, scope: str) -> str:
    """A JWT with these scopes that ends at `until_s` (seconds since 1970). Nobody's signature: none is looked at here."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'RS256', 'typ': 'at+jwt'})}.{part({'exp': until_s, 'scope': scope})}.unsigned"


def permit_of(token: str, now_s: float) -> Permit:
    """Raises NoPermit."""
    parts = token.split(".")
    if len(parts) != 3:
        raise NoPermit("the token is no JWT")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        until_s, scope = float(claims["exp"]), str(claims.get("scope", ""))
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise NoPermit(f"the token's claims can't be read ({type(error).__name__})") from error
    if now_s >= until_s:
        raise NoPermit("the token has expired")
    return Permit(tuple(map(_scope, scope.split())), until_s)


def _scope(words: str) -> tuple[str, str]:
    action, *rest = words.split(":")
    path = rest[-1] if rest and (rest[-1].startswith("Vehicle") or "*" in rest[-1]) else ""
    return action, path


def _covers(pattern: str, path: str) -> bool:
    if not pattern:
        return True
    wanted, levels = pattern.split("."), path.split(".")
    return len(levels) >= len(wanted) and all(want in ("*", level) for want, level in zip(wanted, levels, strict=False))
