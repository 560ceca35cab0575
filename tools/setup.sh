#!/usr/bin/env bash
# Makes the virtual environment once. Says in a sentence what is missing; a stamp makes the next run instant.
set -euo pipefail
venv=${1:-.venv}
python=${PYTHON:-python3}
cd "$(dirname "$0")/.."

fail() { echo "ridealong setup: $*" >&2; exit 2; }

command -v "$python" >/dev/null || fail "there is no $python; on Debian: apt-get install python3 python3-venv"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$("$python" --version) is too old: Python 3.11 or newer is needed (PYTHON=/path/to/python3.11 make demo)"
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "Python's venv module is missing; on Debian: apt-get install python3-venv"

mkdir -p "$venv"
if command -v flock >/dev/null; then # two makes at once: the second waits
  exec 9>"$venv/.lock"
  flock 9
fi
if [ -f "$venv/.ready" ] && [ "$venv/.ready" -nt pyproject.toml ] && [ "$venv/.ready" -nt tools/setup.sh ]; then exit 0; fi

echo "ridealong setup: making $venv (once; about 1 GB with the test tools, some minutes)"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
log=$venv/setup.log
"$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off -e '.[dev]' >"$log" 2>&1 || {
  tail -n 15 "$log" >&2
  fail "the packages could not be installed (the whole output is in $log); check the network or pip's index and run it again"
}
if ! ldconfig -p 2>/dev/null | grep -q libportaudio; then
  echo "ridealong setup: libportaudio2 is missing: a real microphone and speaker won't work (apt-get install libportaudio2); replays do without it"
fi
touch "$venv/.ready"
