#!/usr/bin/env bash
# Adds torch and transformers to the environment, once. RIDEALONG_TORCH: another version or a file ("torch==2.14.1", /path/torch.whl).
set -euo pipefail
venv=${1:-.venv}
cd "$(dirname "$0")/.."
stamp=$venv/.model_ready
if [ -f "$stamp" ] && [ "$stamp" -nt pyproject.toml ] && [ "$stamp" -nt tools/setup_model.sh ]; then exit 0; fi
echo "ridealong setup: adding torch and transformers to $venv (once; 1 GB, several more where pip takes a CUDA build)"
log=$venv/setup_model.log
"$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off \
  "${RIDEALONG_TORCH:-torch==2.13.0}" 'transformers>=4.51,<6' 'safetensors>=0.5' 'pillow>=10' >"$log" 2>&1 || {
  tail -n 15 "$log" >&2
  echo "ridealong setup: torch could not be installed (the whole output is in $log); set RIDEALONG_TORCH to a version that pip finds here" >&2
  exit 2
}
touch "$stamp"
