"""What one conversation knows, and the small records that topics hand back."""

from dataclasses import dataclass, field


@dataclass
class Answer:
    """An answer before the manner of speaking is laid over it.

    text:  the complete plain answer.
    short: one brief sentence, for manners that say little.
    key:   the bare fact ('Paris', '42'), or '' when there is none.
    kind:  chat, fact, sum, list, code, story or unknown.
    """

    text: str
    short: str = ""
    key: str = ""
    kind: str = "fact"

    def brief(self):
        return self.short or self.text


@dataclass
class Turn:
    """One question with its answer. `raw` questions are not disguised with typos and fillers."""

    user: str
    answer: Answer
    raw: bool = False


@dataclass
class Scene:
    """The frame of one conversation: who speaks, how, and what was said about the user."""

    rng: object
    system: str = ""
    manner: str = "plain"
    assistant_name: str = ""
    occupation: str = ""
    user_name: str = ""
    turns: list = field(default_factory=list)
