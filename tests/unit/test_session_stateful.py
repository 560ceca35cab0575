"""Both ends of a session on a link that delays, cuts and repeats: nothing lost, nothing doubled, order kept."""

from __future__ import annotations

import pytest
from fake_link import FakeLink
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ridealong.proto import types as t
from ridealong.proto.session_states import State

pytestmark = pytest.mark.unit


class TwoEnds(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.link = FakeLink()
        self.said_up: list[str] = []
        self.said_down: list[str] = []

    @initialize(device_commits=st.booleans(), cloud_commits=st.booleans(), delay_ms=st.sampled_from([0, 10, 150]))
    def begin(self, device_commits: bool, cloud_commits: bool, delay_ms: int) -> None:
        self.link.device.commits, self.link.cloud.commits, self.link.delay_ms = device_commits, cloud_commits, delay_ms

    @rule(count=st.integers(1, 5))
    def say_up(self, count: int) -> None:
        for _ in range(count):
            self.said_up.append(f"u{len(self.said_up)}")
            self.link.send(self.link.device, t.TextInput(t.Samples(0), self.said_up[-1]))

    @rule(count=st.integers(1, 5))
    def say_down(self, count: int) -> None:
        for _ in range(count):
            self.said_down.append(f"d{len(self.said_down)}")
            self.link.send(self.link.cloud, t.Notice("n", self.said_down[-1]))

    @rule(ms=st.sampled_from([0, 5, 10, 100, 250, 6_000, 20_000]))
    def time_passes(self, ms: int) -> None:
        self.link.advance(ms)

    @precondition(lambda self: self.link.up)
    @rule()
    def cut(self) -> None:
        self.link.cut()

    @precondition(lambda self: not self.link.up)
    @rule()
    def connect(self) -> None:
        # A session whose Welcome was lost is found again by the directory; here the same cloud end is started anew.
        if not self.link.device.peer.token and self.link.cloud.peer.token:
            fresh = self.link.new_cloud("s2", "token-2")
            fresh.commits = self.link.cloud.commits
            fresh.peer.buffer = self.link.cloud.peer.buffer
            fresh.peer.buffer.start_over()
            self.link.cloud = fresh
        self.link.connect()

    @rule(up=st.booleans())
    def repeat(self, up: bool) -> None:
        self.link.repeat(self.link.cloud if up else self.link.device)

    @rule(pick=st.randoms(use_true_random=False))
    def commit_some(self, pick) -> None:  # type: ignore[no-untyped-def]
        for end in (self.link.device, self.link.cloud):
            for seq in pick.sample(end.uncommitted, len(end.uncommitted) // 2):
                self.link.commit(end, seq)

    @invariant()
    def in_order_and_once(self) -> None:
        up = [body.text for body in self.link.cloud.delivered if isinstance(body, t.TextInput)]
        down = [body.text for body in self.link.device.delivered if isinstance(body, t.Notice)]
        assert up == self.said_up[: len(up)]
        assert down == self.said_down[: len(down)]

    @invariant()
    def acked_means_durable(self) -> None:
        assert self.link.device.peer.buffer.confirmed <= self.link.cloud.peer.committed
        assert self.link.cloud.peer.buffer.confirmed <= self.link.device.peer.committed

    def teardown(self) -> None:
        if not self.link.up:
            self.connect()
        self.link.settle()
        self.in_order_and_once()
        assert [body.text for body in self.link.cloud.delivered] == self.said_up  # type: ignore[union-attr]
        assert [body.text for body in self.link.device.delivered] == self.said_down  # type: ignore[union-attr]
        for end in (self.link.device, self.link.cloud):
            assert end.peer.state is State.OPEN
            assert len(end.peer.buffer) == 0
            counters = end.peer.counters
            assert counters.gaps == counters.bad_acks == counters.malformed == 0


TestTwoEnds = TwoEnds.TestCase
TestTwoEnds.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
