"""Skills from outside, as the node's settings name them: opened before the node serves, closed when it stops.

A package that can't be used is left out, and standard error says so in one sentence: a mistake in one package is no reason for a car to be without an
assistant. `skills check` is where it fails the build. Names that are taken are refused whole, so that a package can't put itself in the place of
a built-in skill. Does not know workers, or what a skill does.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from ridealong.cloud.config import SkillPackage
from ridealong.harness.observing import Observe, unobserved
from ridealong.harness.registry import RegistrationError, Registry
from ridealong.harness.skill import ContractError, Skill
from ridealong.harness.worker.contract import import_skills
from ridealong.harness.worker.hosted import WorkerUnfit
from ridealong.harness.worker.pool import Pool


@asynccontextmanager
async def outside_skills(
    packages: Sequence[SkillPackage], taken: Iterable[str], observe: Observe = unobserved
) -> AsyncIterator[tuple[Skill, ...]]:
    """The skills of all packages that can be used."""
    names = set(taken)
    found: list[Skill] = []
    async with AsyncExitStack() as stack:
        for package in packages:
            try:
                async with AsyncExitStack() as own:
                    skills = await _isolated(package, own, observe) if package.isolated else _in_the_node(package)
                    _judge(skills, names)
                    stack.push_async_exit(own.pop_all())
            except (WorkerUnfit, RegistrationError) as error:
                print(f"ridealong cloud: without the skills of {package.module}: {error}", file=sys.stderr, flush=True)
                continue
            names |= {skill.name for skill in skills}
            found += skills
        yield tuple(found)


async def _isolated(package: SkillPackage, stack: AsyncExitStack, observe: Observe) -> tuple[Skill, ...]:
    if sys.platform != "linux":
        raise WorkerUnfit("isolated skills need Linux; `isolated: false` runs them in the node, without limits.")
    pool = Pool(package, observe=observe)
    skills = await pool.open()
    stack.push_async_callback(pool.close)
    return skills


def _in_the_node(package: SkillPackage) -> tuple[Skill, ...]:
    """Trusted: its code runs here, and whatever it does, it does to the node."""
    if package.path is not None and str(package.path) not in sys.path:
        sys.path.append(str(package.path))
    try:
        return import_skills(package.module)[1]
    except ContractError as error:
        raise WorkerUnfit(str(error)) from error
    except Exception as error:  # any import may raise anything
        raise WorkerUnfit(f"its import raised {type(error).__name__}.") from error


def _judge(skills: Sequence[Skill], taken: set[str]) -> None:
    """Raises RegistrationError, before any of them is registered."""
    for name in (skill.name for skill in skills):
        if name in taken:
            raise RegistrationError(f"a skill named {name!r} is already registered")
    Registry(skills)
