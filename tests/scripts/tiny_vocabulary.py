"""The least vocabulary with which a GGUF file loads as a model: 160 tokens, of each of the two usual kinds.

Real files have all bytes; these have printable ASCII, which is all that their tests write.
"""

SIZE = 160
ASCII = [chr(code) for code in range(33, 127)]
WORDS = ["the", "and", "ing", "ion", "one", "you", "are", "ten", "her", "his", "not", "all", "was", "can", "out", "ton"]
NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5  # gguf.TokenType
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}{{ eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}")


def pieces_and_merges(space):
    """Tokens after the special ones, and the merges that lead to those of several letters."""
    pieces, merges = [space] + ASCII, []
    for word in WORDS:
        for parts in ((word[0], word[1]), (word[:2], word[2]), (space, word)):
            if "".join(parts) not in pieces:
                pieces.append("".join(parts))
                merges.append(" ".join(parts))
    return pieces, merges


def padded(tokens, types):
    """Both as long as the embedding, in the way of llama.cpp's converter."""
    missing = range(len(tokens), SIZE)
    return tokens + [f"[PAD{i}]" for i in missing], types + [UNUSED] * len(missing)


def write_sentencepiece(writer, specials, roles):
    pieces, _ = pieces_and_merges("\u2581")
    types = [UNKNOWN if token == "<unk>" else CONTROL for token in specials] + [NORMAL] * len(pieces)
    tokens, types = padded(specials + pieces, types)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0 if kind in (UNKNOWN, CONTROL) else -float(i) for i, kind in enumerate(types)])
    writer.add_token_types(types)
    write_roles(writer, specials, roles)
    writer.add_add_space_prefix("<pad>" not in specials)  # Gemma's adds none.


def write_byte_level(writer, specials, roles, pre):
    pieces, merges = pieces_and_merges("\u0120")
    tokens, types = padded(specials + pieces, [CONTROL] * len(specials) + [NORMAL] * len(pieces))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([merge for merge in merges if merge.replace(" ", "") in tokens])
    write_roles(writer, specials, roles)


def write_gemma4(writer, specials, roles):
    """Merges by rank over pieces like sentencepiece's."""
    pieces, merges = pieces_and_merges("\u2581")
    tokens, types = padded(specials + pieces, [CONTROL] * len(specials) + [NORMAL] * len(pieces))
    writer.add_tokenizer_model("gemma4")
    writer.add_token_list(tokens)
    writer.add_token_scores([-1000.0] * len(tokens))
    writer.add_token_types(types)
    writer.add_token_merges([merge for merge in merges if merge.replace(" ", "") in tokens])
    write_roles(writer, specials, roles)
    writer.add_add_space_prefix(False)


def write_roles(writer, specials, roles):
    for role, token in roles.items():
        getattr(writer, f"add_{role}_token_id")(specials.index(token))
    writer.add_add_bos_token("bos" in roles)
    writer.add_add_eos_token(False)


def write_vocabulary(writer, kind, with_template=False):
    """`kind`: "llama", "gemma", or the name of a byte-level pre-tokeniser."""
    if kind == "llama":
        write_sentencepiece(writer, ["<unk>", "<s>", "</s>"], dict(unk="<unk>", bos="<s>", eos="</s>"))
    elif kind == "gemma":
        specials = ["<pad>", "<eos>", "<bos>", "<unk>"]
        write_sentencepiece(writer, specials, dict(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>"))
    elif kind == "gemma4":
        specials = ["<pad>", "<eos>", "<bos>", "<unk>"]
        write_gemma4(writer, specials, dict(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>"))
    else:
        specials = ["<|pad|>", "<|begin|>", "<|end|>", "<|eot|>"]
        write_byte_level(writer, specials, dict(bos="<|begin|>", eos="<|end|>", eot="<|eot|>"), kind)
    if with_template:
        writer.add_chat_template(TEMPLATE)
