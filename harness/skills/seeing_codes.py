"""What a code holds, told in words: its kind, and as much of the content as may be said. Never opened, called, joined or paid. Pure.

    Code(kind, content)  ->  told(code, zh)

Of an address its host is said, of a network its name and never its password; of what would pay or sign in only that it would. Whatever is written in a code is somebody else's words.
Does not know how codes are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from ridealong.harness.polish import without_reserved
from ridealong.harness.skills.eyes import Code

MAX_TOLD_CHARS: Final = 160
MAX_CODES: Final = 3
PAYMENT: Final = re.compile(
    r"(?:bitcoin|ethereum|litecoin|monero|lightning|solana|upi|payto|swish|weixin|wxp|alipays?|bizum):|SPC\r?\n|BCD\r?\n|000201|https?://(?:[\w-]+\.)*(?:qr\.alipay\.com|wx\.tenpay\.com|payapp\.weixin\.qq\.com|paypal\.me)(?:[/?]|$)",
    re.IGNORECASE,
)
"""How the content of a code that pays begins."""
_KINDS: Final = {
    "tel": ("a telephone number, {}", "一个电话号码，{}"), "mailto": ("an e-mail address, {}", "一个电子邮件地址，{}"), "sms": ("a text message to {}", "一条发给{}的短信"),
    "smsto": ("a text message to {}", "一条发给{}的短信"), "geo": ("a place on the map", "地图上的一个位置"),
    "otpauth": ("a key for signing in; I don't say it", "一个登录用的密钥，我不念出来"),
}  # fmt: skip


def told(codes: Sequence[Code], zh: bool) -> str:
    """A few sentences at most. Only with codes."""
    lines = [_one(code, zh) for code in codes[:MAX_CODES]]
    if len(codes) > MAX_CODES:
        lines[-1] = (
            f"这里一共有{len(codes)}个码，请靠近要看的那一个。"
            if zh
            else f"There are {len(codes)} codes in all; move closer to the one that you mean."
        )
    return ("" if zh else " ").join(lines)


def _one(code: Code, zh: bool) -> str:
    if code.kind != "qr":
        digits = " ".join(re.sub(r"\W+", "", without_reserved(code.content))[:32])
        return f"这是一个商品条形码：{digits}。" if zh else f"It's a product barcode: {digits}."
    return f"这个二维码是{_content(code.content, zh)}。" if zh else f"The QR code is {_content(code.content, zh)}."


def _content(content: str, zh: bool) -> str:
    text = without_reserved(content).strip()
    if PAYMENT.match(text):
        return "一个付款码，我不会用它做任何事" if zh else "for a payment; I do nothing with it"
    if re.match(r"WIFI:", text, re.IGNORECASE):
        name = (
            _clean(re.sub(r"\\(.)", r"\1", found.group(1)))
            if (found := re.search(r"(?:^WIFI:|;)S:((?:\\.|[^;\\])*)", text, re.IGNORECASE))
            else ""
        )
        return f"一个无线网络“{name}”的，我不会连接" if zh else f"for the wireless network “{name}”; I don't join it"
    if re.match(r"BEGIN:VCARD|MECARD:", text, re.IGNORECASE):
        found = re.search(r"^FN[^:\n]*:(.+)$", text, re.IGNORECASE | re.MULTILINE) or re.search(r"(?:MECARD:|;)N:([^;]+)", text)
        name = _clean(found.group(1)) if found else ""
        return (
            (f"一张名片：“{name}”" if zh else f"a contact card: “{name}”") if name else ("一张名片" if zh else "a contact card")
        )
    if re.match(r"BEGIN:(?:VEVENT|VCALENDAR)", text, re.IGNORECASE):
        return "一个日程" if zh else "a calendar entry"
    if (scheme := re.match(r"([a-z][a-z0-9+.-]{1,15}):(?=\S)", text, re.IGNORECASE)) is not None:
        return _address(text, scheme.group(1).lower(), zh)
    said = _clean(text)
    if not said:
        return "空的，或者不是文字" if zh else "empty, or holds no text"
    return f"一段文字：“{said}”" if zh else f"a text: “{said}”"


def _address(text: str, scheme: str, zh: bool) -> str:
    if scheme in ("http", "https"):
        try:
            host = (urlsplit(text).hostname or "").encode("idna").decode("ascii")
        except (ValueError, UnicodeError):
            host = ""
        if not re.fullmatch(r"[a-z0-9.:-]{1,253}", host):
            return "一个网址，但我看不出是哪里" if zh else "a web address, but I can't tell whose"
        return f"一个网址，在{host}，我没有打开" if zh else f"a web address at {host}; I haven't opened it"
    if scheme in _KINDS:
        value = _clean(re.split(r"[?;:]", text.split(":", 1)[1])[0])
        return _KINDS[scheme][zh].format(value)
    return (
        f"一个打开其他应用的链接（{scheme}），我没有打开"
        if zh
        else f"a link that opens another app, {scheme}; I haven't opened it"
    )


def _clean(text: str) -> str:
    """One line, without marks that mean something to a voice or a front-end."""
    said = re.sub(r"\s+", " ", re.sub(r"[<>|*_#`~“”\"\x00-\x1f]", " ", text)).strip()
    said = re.sub(r"[.!?。！？]+(?=\s)", ";", said)
    return said if len(said) <= MAX_TOLD_CHARS else said[:MAX_TOLD_CHARS].rstrip() + "…"
