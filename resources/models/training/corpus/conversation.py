"""Puts topics, manners and system prompts together into whole conversations."""

import re

from . import code, identity, lists, manners, names, quire_help, smalltalk, stories, sums, topic_facts, unknown
from .grammar import a, one_of
from .presets import PRESETS
from .scene import Scene

# (weight, topic): how often a topic is the next thing that is said.
TOPICS = [
    (11, topic_facts.capital), (3.5, topic_facts.opposite), (3, topic_facts.plural), (3, topic_facts.colour), (6, topic_facts.animal),
    (4, topic_facts.unit), (4, topic_facts.calendar), (3, topic_facts.geography), (6, topic_facts.concept),
    (9, sums.addition), (3, sums.subtraction), (9, quire_help.quire), (11, identity.name), (2.5, identity.about), (2.5, identity.abilities),
    (5, identity.job), (5, smalltalk.greeting), (1.5, smalltalk.mood), (2.5, smalltalk.thanks), (2.5, smalltalk.praise), (2, smalltalk.feeling),
    (2, smalltalk.joke), (9, smalltalk.user_name), (1.2, smalltalk.user_unknown), (1.5, smalltalk.user_likes), (2, smalltalk.user_home),
    (7, lists.things), (3.5, lists.steps), (6, code.code), (8, stories.story), (8, unknown.unknown),
]
_TOTAL = sum(weight for weight, _ in TOPICS)


def pick_topic(rng):
    at = rng.random() * _TOTAL
    for weight, topic in TOPICS:
        at -= weight
        if at <= 0:
            return topic
    return TOPICS[-1][1]


def persona(rng):
    """A scene with a random system prompt: a name, a trade, a manner, or a preset, or none at all."""
    scene = Scene(rng)
    chance = rng.random()
    if chance < 0.32:
        return scene
    if chance < 0.42:
        scene.system, scene.manner, scene.assistant_name, scene.occupation = rng.choice(PRESETS)
        return scene
    scene.manner = rng.choice(list(manners.MANNERS)) if rng.random() < 0.62 else "plain"
    parts = []
    if rng.random() < (0.78 if scene.manner == "plain" else 0.6):
        parts.append(_introduce(rng, scene))
    if scene.manner != "plain" or not parts or rng.random() < 0.3:
        ask = one_of(rng, manners.PROMPTS[scene.manner])
        scene.occupation = scene.occupation or _trade_of(ask)
        parts.append(ask)
    if rng.random() < 0.2:
        parts.append(one_of(rng, _EXTRAS, p=names.invented(rng), x=rng.choice(smalltalk.LIKES)))
    if rng.random() < 0.15:
        rng.shuffle(parts)
    scene.system = " ".join(parts)
    return scene


# Sentences of a system prompt that change nothing the model could do.
_EXTRAS = ["You like {x}.", "You live in {p}.", "You love {x} and {x}.", "Be polite.", "Help the user as well as you can.", "You come from {p}.", "Answer in English.", "You are very experienced.",
           "The user is a student.", "Always tell the truth.", "You know a lot about {x}.", "Never be rude.", "If you do not know something, say so.", "Answer all questions[ of the user|].", "You like to help people."]


def _trade_of(prompt):
    for trade in ("haiku poet", "pirate captain", "pirate", "teacher", "butler", "knight", "robot", "code helper"):
        if re.search(rf"You are an? [a-z ]*{trade}", prompt):
            return trade
    return ""


def _introduce(rng, scene):
    """The sentence that names the persona, its trade, or both."""
    which = rng.random()
    scene.assistant_name = names.assistant(rng) if which < 0.85 else ""
    scene.occupation = identity.trade(rng) if which > 0.4 and scene.manner not in ("teacher", "formal", "coder") else ""
    trade = scene.occupation and a(f"{rng.choice(identity.ADJECTIVES)} {scene.occupation}" if rng.random() < 0.5 else scene.occupation)
    slots = dict(n=scene.assistant_name, t=trade)
    if scene.assistant_name and trade:
        return one_of(rng, ["You are {n}, {t}.", "You are {n}, {t}.", "You are {t} named {n}.", "Your name is {n} and you are {t}.", "Act as {n}, {t}.", "You are {t}. Your name is {n}.",
                            "Play the role of {n}, {t}.", "You're {n}, {t}."], **slots)
    if scene.assistant_name:
        return one_of(rng, ["You are {n}.", "Your name is {n}.", "You are an assistant named {n}.", "You are a helpful assistant called {n}.", "Call yourself {n}.", "You are {n}, a helpful assistant.",
                            "Act as {n}.", "The assistant is called {n}."], **slots)
    return one_of(rng, ["You are {t}.", "Act as {t}.", "You work as {t}.", "You are {t} who likes to help."], **slots)


_BEFORE = ["please ", "hey, ", "hi, ", "so, ", "ok, ", "hello! ", "hi! ", "now ", "quick question: ", "well, ", "um, ", "and ", "ok now ", "I have a question. ", "oh, ", "alright, ", "excuse me, ",
           "could you tell me, ", "tell me, ", "do you know, ", "let me ask: ", "my son asks: ", "by the way, ", "one more thing: ", "great. ", "thanks. ", "just curious, ",
           "dear assistant, ", "listen, ", "sorry, ", "I wonder: ", "next: ", "here is another one: ", "nice! ", "very good! ", "I am fine. ", "no problem. ", "hmm, ", "good morning! ",
           "I would like to know: ", "next question: ", "oh and ", "then ", "really? ", "I see. ", "quick one: ", "hello my friend, ", "dear quire, ", "I need your help: "]
_AFTER = [" please", ", please", " thanks", "!", " :)", " now", "..", ", thank you", " if you can", " for me",
          ", do you know?", ", my friend", " by the way", " again", ", quickly", ", can you tell me?", " for my son", " for school", " today", ", if I may ask", " or something", ", thank you very much",
          ", would you?", " right now", " then", ", any idea?", ", if you know", " for a quiz", " in one go", ", dear assistant", ", buddy", " really", " exactly", ", I forgot", ", please and thank you"]


def _typo(rng, text):
    """Swap, drop or double one letter inside a longer word."""
    spots = [m.start() for m in re.finditer(r"(?<=[a-z])[a-z](?=[a-z]{2})", text)]
    if not spots:
        return text
    at = rng.choice(spots)
    swap = text[:at] + text[at + 1] + text[at] + text[at + 2:]
    return rng.choice([swap, text[:at] + text[at + 1:], text[:at] + text[at] + text[at:]])


def disguise(rng, turn):
    """Say the same question the way people type: fillers, case, missing marks, a few typos.

    What the answer must copy stays free of typos."""
    question, raw, key = turn.user, turn.raw, turn.answer.key
    typos = turn.answer.kind != "story" and not (key and key.lower() in question.lower())
    text = question
    if not raw:
        if rng.random() < 0.22:
            text = rng.choice(_BEFORE) + text
        if rng.random() < 0.15:
            text = text.rstrip("?.! ") + rng.choice(_AFTER) + ("?" if "?" in text and rng.random() < 0.5 else "")
        if rng.random() < 0.05 and typos:
            text = _typo(rng, text)
    case = rng.random()
    if case < 0.62:
        text = text[:1].upper() + text[1:]
    elif case < 0.82:
        text = text.lower() if not raw or rng.random() < 0.5 else text
    elif case < 0.84:
        text = text.upper()
    if text.endswith("?") and rng.random() < 0.15:
        text = text[:-1]
    return text


def conversation(rng):
    """One conversation as a list of messages, [{role, content}, ...]."""
    scene = persona(rng)
    turns = []
    if rng.random() < 0.08:
        scene = scene if rng.random() < 0.2 else Scene(rng)
        turns = sums.drill(scene)
    else:
        if rng.random() < 0.12:
            turns += smalltalk.greeting(scene)
        wanted = rng.choice([1, 1, 1, 2, 2, 3, 3, 4, 5, 6]) if rng.random() < 0.96 else rng.randrange(8, 22)
        if scene.assistant_name and rng.random() < 0.5:
            turns += identity.name(scene)
        while len(turns) < wanted:
            turns += pick_topic(rng)(scene)
        if rng.random() < 0.06:
            turns += smalltalk.goodbye(scene)
    messages = [{"role": "system", "content": scene.system}] if scene.system else []
    say = manners.MANNERS[scene.manner]
    for turn in turns:
        messages.append({"role": "user", "content": disguise(rng, turn)})
        messages.append({"role": "assistant", "content": say(rng, turn.answer)})
    return messages
