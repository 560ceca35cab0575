"""Measures how loud the model makes each of our voices, and writes it beside them; the synthesiser brings all to the same loudness by it.

    python tools/voice_levels.py            # writes cloud/frontends/cascade/voices/levels.json
    python tools/voice_levels.py --check    # exit 1 where a voice, as it is said now, lies more than 0.5 LU off the target

Integrated loudness by ITU-R BS.1770-4 (K-weighted, gated) over all of TEXTS, one after the other. Needs the fetched models.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from ridealong.cloud.frontends.cascade.audio import floats_from_pcm16, true_peak
from ridealong.cloud.frontends.cascade.loudness import integrated_lufs
from ridealong.cloud.frontends.cascade.speak import VOICES, Synthesiser, gains
from ridealong.cloud.frontends.cascade.speech_models import load
from ridealong.proto.types import SPEECH_HZ

WHERE = Path(__file__).resolve().parent.parent / "cloud/frontends/cascade/voices/levels.json"
TARGET_LUFS = -23.0
"""EBU R 128's, within 1 LU of what the English default voice always had."""
CLOSE_LU = 0.5
TEXTS = {
    "en": (
        "One moment.", "Done.", "Set to 21 degrees.", "The driver's window is now open.", "Which window do you mean?", "Navigating to the airport.",
        "I can't do that while we're driving.", "There is a fast charger 12 kilometres from here, and it is free.", "The fan is on level three.",
        "We have 240 kilometres of range left, and the next charging station is 35 kilometres away.",
    ),
    "zh": (
        "好的，稍等。", "完成了。", "已设为21度。", "驾驶位车窗打开了。", "您说的是哪扇车窗？", "正在导航到机场。", "行驶中不能这样做。",
        "十二公里外有一个快充站，现在空着。", "风量是三档。", "还能行驶240公里，下一个充电站在35公里外。",
    ),
}  # fmt: skip


def said(synthesiser: Synthesiser, voice: str) -> tuple[float, float]:
    """(LUFS over all its texts, highest true peak in dB), as the synthesiser says them."""
    locale = "zh" if voice.startswith("z") else "en"
    clips = [floats_from_pcm16(synthesiser.synthesise(text, locale, voice).pcm.tobytes()) for text in TEXTS[locale]]
    peak = max(true_peak(clip) for clip in clips)
    return integrated_lufs(np.concatenate(clips), SPEECH_HZ), 20 * float(np.log10(peak))


def main() -> int:
    parser = argparse.ArgumentParser(description="how loud each voice is")
    parser.add_argument("--check", action="store_true", help="measure only; exit 1 where a voice is off the target")
    options = parser.parse_args()
    synthesiser, measured, good = load().synthesiser, {}, True
    applied = gains() if WHERE.exists() else dict.fromkeys(VOICES, 1.0)
    for voice in VOICES:
        lufs, peak_db = said(synthesiser, voice)
        measured[voice] = round(lufs - 20 * float(np.log10(applied[voice])), 1)
        good &= abs(lufs - TARGET_LUFS) <= CLOSE_LU
        print(f"{voice:<12} {lufs:6.1f} LUFS  true peak {peak_db:5.1f} dB  as the model makes it {measured[voice]:6.1f} LUFS")
    if options.check:
        return int(not good)
    WHERE.write_text(json.dumps({"target_lufs": TARGET_LUFS, "measured_lufs": measured}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
