"""The chat format: how messages become token ids, the same way the engine does it.

A control token is one id and never comes out of encoding text; each message's text is encoded on its own.
Turn N+1 begins with the exact ids of turn N, so that cached keys and values can be reused.
"""

import pathlib

import sentencepiece

BOS, EOS = "<s>", "</s>"
END = "<|end|>"
ROLES = {"system": "<|system|>", "user": "<|user|>", "assistant": "<|assistant|>"}
CONTROL = [*ROLES.values(), END]

TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{% if message['role'] == 'system' and loop.first %}{{ '<|system|>' + message['content'] + '<|end|>' }}"
    "{% elif message['role'] == 'user' %}{{ '<|user|>' + message['content'] + '<|end|>' }}"
    "{% elif message['role'] == 'assistant' %}{{ '<|assistant|>' + message['content'] + '<|end|>' }}"
    "{% else %}{{ raise_exception('Unknown role, or a system message that is not the first: ' + message['role']) }}"
    "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


class ChatTokenizer:
    """sentencepiece with the chat's control tokens."""

    def __init__(self, path):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(path)))
        self.bos, self.eos = self.pieces.bos_id(), self.pieces.eos_id()
        self.end = self.pieces.piece_to_id(END)
        self.role = {name: self.pieces.piece_to_id(piece) for name, piece in ROLES.items()}

    def encode(self, messages, generation_prompt=False):
        """Token ids of a conversation, and for each id whether the assistant said it (its <|end|> included)."""
        ids, spoken = [self.bos], [False]
        for message in messages:
            text = self.pieces.encode(message["content"])
            said = message["role"] == "assistant"
            ids += [self.role[message["role"]], *text, self.end]
            spoken += [False] + [said] * (len(text) + 1)
        if generation_prompt:
            ids.append(self.role["assistant"])
            spoken.append(False)
        return ids, spoken

    def decode(self, ids):
        return self.pieces.decode(ids)
