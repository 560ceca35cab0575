"""What the harness itself says when a skill could not: one plain sentence a reason, in the language of the request.

Does not know skills, and never repeats what an exception or a provider said.
"""

from __future__ import annotations

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "failed": ("Sorry, that didn't work.", "抱歉，这次没有成功。"),
    "refused": ("Sorry, I can't do that right now.", "抱歉，现在不能这样做。"),
    "journal": ("I can't write down what I do just now, so I don't do it.", "我现在没法记录操作，所以没有做。"),
    "unavailable": ("Sorry, that isn't available right now.", "抱歉，这个功能现在用不了。"),
    "timeout": ("Sorry, that took too long, so I stopped.", "抱歉，花的时间太长，我已经停止了。"),
    "unknown": ("I can't tell whether that worked. Please check.", "我不能确定是否成功，请您确认一下。"),
    "cancelled": ("Okay, I stopped that.", "好的，已经取消了。"),
    "partly": ("I stopped, but part of that was already done.", "我停下了，但有一部分已经做了。"),
    "partly_done": ("Only part of that was done.", "只做成了一部分。"),
    "partly_unknown": (
        "Part of that was done. Whether the rest was, I can't tell. Please check.",
        "有一部分已经做了，其余的我不能确定，请您确认一下。",
    ),
    "too_late": ("Sorry, I couldn't do that in time, so I left it.", "抱歉，没能及时执行，所以没有做。"),
    "not_first": (
        "I didn't do the rest, because what had to come first didn't work.",
        "前面那一步没有成功，所以后面的我没有做。",
    ),
    "heard_a_question": (
        "I heard a question, so I did nothing. If you want it done, please say so.",
        "我听到的是一个问题，所以什么都没做。如果要我做，请再说一次。",
    ),
    "backlog": (
        "While we were offline you said: {words}. Say it again if you still want it.",
        "刚才断线时您说：{words}。还需要的话请再说一遍。",
    ),
    "more": ("Could you say that again with a little more detail?", "请再说清楚一点，好吗？"),
    "asks": ("Could you say that again, please?", "请您再说一遍，好吗?"),
    "changed": ("Okay, I've changed that.", "好的，已经改了。"),
    "beside": ("Okay, that too.", "好的，这个也要。"),
    "one_moment": ("One moment.", "好的，稍等。"),
    "done": ("Done.", "好了。"),
}


def sentence(reason: str, locale: str) -> str:
    """The sentence for a reason; English unless the locale is Chinese."""
    english, chinese = SENTENCES[reason]
    return chinese if locale.lower().startswith("zh") else english
