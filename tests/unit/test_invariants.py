"""Any interleaving of requests, replays, answers, cancels, revisions, boundaries, acks, link drops, clock jumps, speeds and crashes of either
end keeps the promises I3, I4, I5 and I12 of the field reports, counted at the cars and not in the harness.

Which test keeps which promise: docs/guides/promises.md.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ridealong.harness.claims import claims_in
from ridealong.harness.commands import exported
from ridealong.harness.journal import Journal
from ridealong.harness.reconciling import RECONCILE
from ridealong.harness.requests import SAME_REQUEST_MS, normal
from ridealong.harness.sentences import SENTENCES
from ridealong.proto.types import ActuationResult, ActuationState, Samples, samples_from_ms
from tests.unit.crash_world import SECRETS, TEMPERATURE, WINDOW, World, live

pytestmark = pytest.mark.unit

OURS = {said for both in SENTENCES.values() for said in both}
"""Of the harness's own: "I stopped that" is true of what was cancelled."""
SESSION = st.sampled_from(sorted(SECRETS))
REQUEST = st.sampled_from(
    [
        "temperature",
        "window",
        "slowly",
        "both",
        "boast",
        "note",
        "look",
        "instead temperature",
        "temperature + window",
        "note + note",
    ]
)
STEP = st.one_of(
    st.tuples(st.just("say"), SESSION, REQUEST),
    st.tuples(st.just("say"), SESSION, REQUEST),
    st.tuples(st.just("talk"), SESSION, st.sampled_from(["yes", "yes", "stop", "no"])),
    st.tuples(st.sampled_from(["replay", "repeat"]), SESSION, st.integers(0, 9)),
    st.tuples(st.just("wait"), SESSION, st.sampled_from([1, 40, 300, 900, 2_500, 6_000])),
    st.tuples(st.just("boundary"), SESSION, st.sampled_from([0, 900, 2_500])),
    st.tuples(st.sampled_from(["started", "finished", "flushed", "cancel"]), SESSION, st.integers(0, 5)),
    st.tuples(st.just("link"), SESSION, st.booleans()),
    st.tuples(st.just("drive"), SESSION, st.sampled_from([0.0, 40.0, 110.0])),
    st.tuples(st.just("blind"), SESSION, st.booleans()),
    st.tuples(st.sampled_from(["crash node", "crash gateway"]), SESSION, st.just(0)),
    st.tuples(st.just("jump"), SESSION, st.sampled_from([2, 30, 600])),
    st.tuples(st.just("stray"), SESSION, st.integers(0, 5)),
)  # fmt: skip
Step = tuple[str, str, object]


async def perform(world: World, step: Step, tasks: asyncio.TaskGroup, numbers: list[int]) -> None:
    word, name, what = step
    device = world.devices[name]
    assert world.node is not None
    harness = world.node.sessions[name].harness
    ids = list(harness.items)
    match word:
        case "say":
            pieces = []
            for piece in str(what).split(" + "):
                numbers[0] += 1  # no two requests write the same value
                pieces.append(f"{piece} {numbers[0] % 99 + 1 if piece == 'window' else 16 + numbers[0] % 24 / 2}")
            world.utter(name, " + ".join(pieces))
        case "talk":
            world.utter(name, str(what))
        case "replay" | "repeat":
            ours = [utterance for utterance in world.utterances if utterance.session == name]
            if ours:
                assert isinstance(what, int)
                earlier = ours[-1 - what % len(ours)]
                if word == "replay":
                    world.hear(earlier)
                else:
                    world.utter(name, " + ".join(piece.removesuffix(f" {SECRETS[name]}") for piece in earlier.words.split(" + ")))
        case "wait":
            assert isinstance(what, int)
            await asyncio.sleep(what / 1000)
        case "boundary":
            assert isinstance(what, int)
            world.boundary(name, True, float(what))
        case "started" | "finished" | "flushed" | "cancel" if ids:
            assert isinstance(what, int)
            work_id = ids[-1 - what % len(ids)]
            if word == "cancel":
                harness.cancel(work_id)
            else:
                harness.playback(work_id, word, "Done" if word == "finished" else "", world.now())
        case "link":
            world.link(device, bool(what))
        case "drive":
            assert isinstance(what, float)
            world.drive(device, what)
        case "blind":
            world.blind(device, bool(what))
        case "crash node":
            await world.crash_node()
        case "crash gateway":
            await world.crash_gateway(device, tasks)
        case "stray":  # this device answers for another one's car
            assert isinstance(what, int)
            theirs = [key for other, one in world.devices.items() if other != name for key in one.issued]
            if theirs:
                world.node.take(name, ActuationResult(theirs[-1 - what % len(theirs)], ActuationState.CONFIRMED))
        case "jump":
            assert isinstance(what, int)
            world.jumped = Samples(world.jumped + samples_from_ms(what * 1000))


def live_through(folder_of: pytest.TempPathFactory, steps: list[Step]) -> World:
    world = World(folder_of.mktemp("world"))

    async def script(w: World, tasks: asyncio.TaskGroup) -> None:
        numbers = [0]
        for step in steps:
            await perform(w, step, tasks, numbers)
            await asyncio.sleep(0.001)
        for device in w.devices.values():
            w.link(device, True)
        await asyncio.sleep(7)
        for name in SECRETS:
            for _ in range(3):
                for work_id in w.boundary(name, True, 2_500):
                    assert w.node is not None
                    w.node.sessions[name].harness.playback(work_id, "finished", "Done", w.now())

    live(world, script)
    return world


def accepted(world: World, session: str) -> Counter[str]:
    """How often each piece of words may be worked on: a repetition within the window is the same request."""
    taken: list[tuple[str, int]] = []
    for utterance in world.utterances:
        words = normal(utterance.words)
        same = [end for known, end in taken if known == words and abs(end - utterance.end) <= samples_from_ms(SAME_REQUEST_MS)]
        if utterance.session == session and not same:
            taken.append((words, utterance.end))
    return Counter(words for words, _ in taken)


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, max_size=25))
@example([("say", "a", "temperature"), ("wait", "a", 40), ("crash node", "a", 0), ("replay", "a", 0), ("wait", "a", 900)])
@example([("link", "a", False), ("say", "a", "temperature"), ("wait", "a", 6_000), ("link", "a", True), ("wait", "a", 900)])
@example(
    [
        ("link", "a", False),
        ("say", "a", "window"),
        ("wait", "a", 2_500),
        ("drive", "a", 110.0),
        ("wait", "a", 900),
        ("link", "a", True),
    ]
)
@example([("say", "a", "note"), ("wait", "a", 40), ("boundary", "a", 900), ("talk", "a", "yes"), ("wait", "a", 40), ("crash node", "a", 0),
          ("replay", "a", 0), ("replay", "a", 1), ("wait", "a", 900), ("boundary", "a", 900), ("replay", "a", 0)])  # fmt: skip
@example(
    [
        ("say", "b", "window"),
        ("wait", "b", 40),
        ("crash gateway", "b", 0),
        ("replay", "b", 0),
        ("wait", "b", 6_000),
        ("boundary", "b", 900),
    ]
)
@example([("talk", "a", "yes"), ("crash node", "a", 0), ("wait", "a", 6_000), ("say", "a", "note"), ("wait", "a", 40), ("boundary", "a", 900),
          ("replay", "a", 1), ("wait", "a", 900)])  # fmt: skip
@example([("link", "a", False), ("say", "a", "temperature"), ("wait", "a", 300), ("link", "a", True), ("wait", "a", 900)])
@example([("drive", "a", 110.0), ("wait", "a", 2_500), ("say", "a", "both"), ("wait", "a", 6_000), ("boundary", "a", 900)])
@example([("say", "a", "both"), ("say", "b", "boast"), ("wait", "a", 6_000), ("boundary", "a", 900), ("boundary", "b", 900)])
@example(
    [
        ("say", "a", "temperature"),
        ("wait", "a", 40),
        ("crash node", "a", 0),
        ("stray", "b", 0),
        ("wait", "a", 6_000),
        ("boundary", "b", 900),
    ]
)
@example(
    [
        ("link", "a", False),
        ("say", "a", "temperature"),
        ("wait", "a", 6_000),
        ("crash node", "a", 0),
        ("stray", "b", 0),
        ("wait", "a", 900),
    ]
)
@example([("blind", "a", True), ("wait", "a", 2_500), ("say", "a", "window"), ("wait", "a", 900), ("boundary", "a", 900)])
def test_the_promises_hold_whatever_happens(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    world = live_through(tmp_path_factory, steps)
    journal = Journal(world.folder / "journal.sqlite", read_only=True)
    assert world.faults == []  # I4 and I5, where they are broken
    for name, device in world.devices.items():
        items = {item.id: item for item in journal.items(name)}
        # I3: no request is worked on twice, no key used twice, nothing done at the car that was not asked for under a key of its own
        requests = [item for item in items.values() if item.capability != RECONCILE]
        made = Counter(normal(item.request) for item in requests if item.reason != "session_over")
        allowed = accepted(world, name)
        said_yes = sum(utterance.session == name and utterance.words == "yes" for utterance in world.utterances)
        assert all(count <= allowed[words] * words.count(SECRETS[name]) for words, count in made.items() if words != "yes"), (
            made,
            allowed,
        )
        assert made["yes"] <= said_yes and sum(session == name for session, _ in world.notes) <= said_yes
        intents = {intent.key: intent for work_id in items for intent in journal.intents(work_id)}
        assert set(device.issued) <= set(intents), "sent without an intent on the disk"
        once = Counter(key.rpartition(".")[0] for key in device.issued)
        assert all(count <= (2 if items[work_id].capability == "both" else 1) for work_id, count in once.items())
        writes = Counter((write.path, float(str(write.value))) for batch, _ in device.done for write in batch)
        asked = Counter((write.path, float(str(write.value))) for one in device.issued.values() for write in one.writes)
        assert all(count <= asked[write] for write, count in writes.items()), (writes, asked)
        assert all(count <= 1 for count in Counter(key for session, key in world.notes if session == name).values())
        # I4: whatever was said to be done is done by the journal
        for session, work_id, text in world.said:
            if session == name and claims_in(text) and text not in OURS:
                item, rows = items[work_id], journal.intents(work_id)
                assert item.execution.value == "completed" and item.outcome is not None and item.outcome.value == "completed"
                assert rows and all(intent.state == "confirmed" for intent in rows), (text, rows)
        # The four times are in order, whatever happened between them
        for item in items.values():
            times = [at for at in (item.intent_at, item.done_at, item.inserted_at, item.played_at) if at is not None]
            assert times == sorted(times), item
        # Nothing stays open, and what the journal says is what was told last (a crash may have closed it since)
        assert all(item.over for item in items.values())
        assert set(world.items[name]) <= set(items) or world.crashes
    _believe_the_car(world, journal)
    _keep_apart(world, journal)
    assert not [line for line in world.logged if any(secret in line for secret in SECRETS.values())], "content in a log"


def _believe_the_car(world: World, journal: Journal) -> None:
    """I4: what is confirmed was done at that very car, and what is said of it later is what the journal has."""
    for name, device in world.devices.items():
        done = {(write.path, write.value) for batch, _ in device.done for write in batch}
        rows = [(item, row) for item in journal.items(name) for row in journal.intents(item.id)]
        confirmed = [row for _, row in rows if row.state == "confirmed" and row.writes[0].path in (TEMPERATURE, WINDOW)]
        assert all((write.path, write.value) in done for row in confirmed for write in row.writes), (confirmed, done)
        for session, text in world.found:
            if session == name and "that was done" in text:
                assert [row for item, row in rows if f"“{item.words}”" in text and row.state == "confirmed"], (text, rows)


def _keep_apart(world: World, journal: Journal) -> None:
    """I12: nothing of one session in another's speech, journal, export, evidence or contexts."""
    for name, secret in SECRETS.items():
        others = {other: word for other, word in SECRETS.items() if other != name}
        theirs = {
            "speech": [
                text for session, text in [*((one, text) for one, _, text in world.said), *world.found] if session == name
            ],
            "journal": [repr(item) for item in journal.items(name)],
            "intents": [repr(journal.intents(item.id)) for item in journal.items(name)],
            "export": [json.dumps(row, ensure_ascii=False, default=str) for row in exported(journal, name, True)],
            "evidence": [repr(snapshot) for snapshot in world.snapshots[name]],
            "contexts": [repr((context.recent, context.said, context.doing)) for context in world.contexts[name]],
        }
        for where, texts in theirs.items():
            for other, word in others.items():
                assert not [text for text in texts if word in text], f"I12: {other}'s words in {name}'s {where}"
        assert all(secret in text for text in theirs["evidence"]), "the snapshot is of its own session"
        assert all(item.session == name and item.id.startswith(f"{name}-") for item in journal.items(name))


def test_the_world_can_tell(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Things do happen in it: acts are confirmed and said, notes are sent once agreed to, a crash loses what it interrupts."""
    world = live_through(
        tmp_path_factory,
        [("say", "a", "temperature"), ("wait", "a", 900), ("boundary", "a", 900), ("finished", "a", 0),
         ("say", "b", "note"), ("wait", "b", 40), ("boundary", "b", 900), ("finished", "b", 0), ("talk", "b", "yes"), ("wait", "b", 900),
         ("boundary", "b", 900), ("say", "a", "window"), ("wait", "a", 40), ("crash node", "a", 0)],
    )  # fmt: skip
    journal = Journal(world.folder / "journal.sqlite", read_only=True)
    assert [text for _, _, text in world.said] == ["Done: 16.5 alpha.", "Send 17.0 bravo?", "Done: sent bravo."]
    assert world.found == [("a", "About “window 4 alpha”: that was done.")]
    assert len(world.notes) == 1 and len(world.devices["a"].done) == 2
    assert [item.execution.value for item in journal.items("a")] == ["completed", "unknown", "completed"]
    assert [row.state for row in journal.intents("a-w2")] == ["confirmed"]
