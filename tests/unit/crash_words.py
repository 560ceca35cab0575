"""How the world of crashes talks (crash_world.py): what the words of its sessions ask for."""

from __future__ import annotations

from ridealong.harness.router import Calls, Decision, Nothing
from ridealong.harness.skill import Context, Match, Outcome, Provenance


class Words:
    """ "temperature 21.5 alpha": the capability, its number, and a word that only this session says. Joined by " + ": several calls."""

    def __init__(self) -> None:
        self.contexts: list[Context] = []

    def decide(self, text: str, locale: str, context: Context, provenance: Provenance) -> Decision:
        self.contexts.append(context)
        if text.startswith("yes"):
            if context.recent and context.recent[0].outcome is Outcome.ASKS:
                return Calls((Match(context.recent[0].capability, 1.0, dict(context.recent[0].arguments)),))
            return Nothing("backchannel")
        if text in ("stop", "no"):
            return Nothing("declined" if text == "no" else "stop")
        return Calls(tuple(_match(piece) for piece in text.split(" + ")))


def _match(piece: str) -> Match:
    instead = piece.startswith("instead ")
    name, number, secret = piece.removeprefix("instead ").split()
    grounds = {"n": "context:instead"} if instead else {"n": number}
    return Match(name, 1.0, {"n": float(number), "who": secret}, grounds)
