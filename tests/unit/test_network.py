"""Simulated networks: order is kept, delay is as stated, outages lose and break, the same seed gives the same times."""

from __future__ import annotations

import asyncio

import pytest

from ridealong.errors import UserError
from ridealong.proto.channel import Channel, ChannelClosed, memory_pair
from ridealong.simulators.network import PRESETS, Network, NetworkPreset, Traffic, preset
from ridealong.simulators.virtual_time import run_virtual

pytestmark = pytest.mark.unit


async def exchange(shape: NetworkPreset, seed: int = 1, count: int = 50) -> tuple[list[bytes], list[float], list[bytes], Traffic]:
    async with asyncio.TaskGroup() as group:
        device, cloud = memory_pair()

        async def connect() -> Channel:
            return device

        network = Network(shape, seed, group)
        link = await network.links(connect)()
        up: list[bytes] = []
        times: list[float] = []
        down: list[bytes] = []
        loop = asyncio.get_running_loop()

        async def cloud_side() -> None:
            for _ in range(count):
                up.append(await cloud.receive())
                times.append(loop.time())
                await cloud.send(b"re " + up[-1])

        async def device_side() -> None:
            for _ in range(count):
                down.append(await link.receive())

        async with asyncio.TaskGroup() as sides:
            sides.create_task(cloud_side())
            sides.create_task(device_side())
            for index in range(count):
                await link.send(b"%d" % index)
                await asyncio.sleep(0.01)
        await link.close()
    return up, times, down, network.traffic


def test_order_delay_and_counts() -> None:
    up, times, down, traffic = run_virtual(exchange(PRESETS["lte"]))
    assert up == [b"%d" % index for index in range(50)]
    assert down == [b"re %d" % index for index in range(50)]
    assert all(at - index * 0.01 >= 0.045 for index, at in enumerate(times)) and times[0] <= 0.085 + 1e-6
    assert traffic.up_messages == traffic.down_messages == 50
    assert traffic.up_bytes == sum(map(len, up)) and traffic.down_bytes == sum(map(len, down))


def test_the_seed_decides() -> None:
    one, again, other = (run_virtual(exchange(PRESETS["lte"], seed))[1] for seed in (1, 1, 2))
    assert one == again != other


def test_a_clean_network_adds_nothing() -> None:
    _, times, _, _ = run_virtual(exchange(PRESETS["clean"]))
    assert times[0] == 0


def test_an_outage_loses_breaks_and_refuses_until_it_is_over() -> None:
    async def scene() -> tuple[list[float], list[bytes], Traffic]:
        loop = asyncio.get_running_loop()
        marks: list[float] = []
        arrived: list[bytes] = []
        async with asyncio.TaskGroup() as group:
            ends: list[Channel] = []

            async def connect() -> Channel:
                device, cloud = memory_pair()
                ends.append(cloud)
                return device

            network = Network(NetworkPreset("test", delay_ms=10, outages_s=((5.0, 20.0),)), 1, group)
            factory = network.links(connect)
            link = await factory()
            await link.send(b"before")
            arrived.append(await ends[0].receive())
            await asyncio.sleep(6)
            await link.send(b"lost")
            with pytest.raises(ChannelClosed):
                await link.receive()
            marks.append(loop.time())
            with pytest.raises(ChannelClosed):
                await link.send(b"x")
            with pytest.raises(ChannelClosed):
                await ends[0].receive()
            while True:
                try:
                    link = await factory()
                    break
                except ChannelClosed:
                    await asyncio.sleep(1)
            marks.append(loop.time())
            await link.send(b"after")
            arrived.append(await ends[1].receive())
            await link.close()
        return marks, arrived, network.traffic

    marks, arrived, traffic = run_virtual(scene())
    assert marks[0] == pytest.approx(7.0, abs=0.05)
    assert 20 <= marks[1] <= 21.1
    assert arrived == [b"before", b"after"]
    assert traffic.links == 2 and traffic.refused_links > 5


def test_unknown_presets_are_a_sentence() -> None:
    with pytest.raises(UserError, match="known: clean, wifi, rtt60, lte, tunnel"):
        preset("5g")
