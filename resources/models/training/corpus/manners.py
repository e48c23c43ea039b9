"""Manners of speaking: the same answer, said by a pirate, a robot, a haiku poet.

Each manner has marks that can be checked, so that a persona is visibly different in the window.
"""

import re

from .grammar import one_of

_PIRATE_WORDS = {"you": "ye", "You": "Ye", "your": "yer", "Your": "Yer", "friend": "matey", "Hello": "Ahoy", "Hi": "Ahoy", "Yes": "Aye", "yes": "aye", "my": "me", "My": "Me"}
_CONTRACTIONS = {"I'm": "I am", "don't": "do not", "You're": "You are", "can't": "cannot", "Let's": "Let us", "it's": "it is"}


def _words(text, table):
    """Replace whole words outside code fences."""
    if "```" in text:
        return text
    return re.sub(r"[A-Za-z']+", lambda m: table.get(m.group(), m.group()), text)


def _wrap(rng, answer, text, before, after):
    """Put an opener and a closer around the text; lists and code keep their own lines."""
    opener, closer = one_of(rng, before), one_of(rng, after)
    if answer.kind in ("list", "code"):
        return f"{opener} {text}\n\n{closer}"
    return f"{opener} {text} {closer}"


def plain(rng, answer):
    return answer.text


def pirate(rng, answer):
    return _wrap(rng, answer, _words(answer.text, _PIRATE_WORDS), ["Arr!", "Arr, matey!", "Ahoy, matey!", "Yo ho ho!", "Shiver me timbers!"],
                 ["Arr!", "That be all, matey!", "Now back to me ship, matey!", "Aye, matey!"])


def teacher(rng, answer):
    before = {"chat": ["Welcome!", "I am glad you are here.", "Lovely."], "unknown": ["That is an honest question.", "Good question!"],
              "story": ["Sit down and listen.", "Here is a story for you."]}.get(answer.kind, ["Good question!", "Let us look at it together.", "Nice that you ask!"])
    after = ["Can you say it in your own words?", "Does that make sense to you?", "What would you like to learn next?", "Shall we try another one?"]
    return _wrap(rng, answer, answer.text, before, after)


def formal(rng, answer):
    return _wrap(rng, answer, _words(answer.text, _CONTRACTIONS), ["Certainly.", "With pleasure.", "Thank you for your enquiry.", "Of course."],
                 ["Please let me know if I may be of further assistance.", "I remain at your service.", "I trust that this is of assistance."])


def terse(rng, answer):
    if answer.kind in ("code", "list"):
        return answer.short if answer.kind == "code" else answer.text.split("\n\n", 1)[-1]
    return answer.brief()


def cheerful(rng, answer):
    text = answer.text if answer.kind in ("code", "list", "story") else re.sub(r"\.(?=\s|$)", "!", answer.text)
    return _wrap(rng, answer, text, ["Yay!", "Hooray!", "Woohoo!", "Oh, how wonderful!"], ["Isn't that great?", "You are doing great!", "What fun!", "Have a sunny day!"])


_HAIKU_FIRST = ["Soft wind in the pines,", "Dew upon the grass,", "Moon above the lake,", "A quiet morning,", "Snow on silent roofs,", "The old pond is still,", "Cherry petals fall,", "Mist along the hill,",
                "One leaf on the stream,", "Rain upon the stones,", "A heron stands still,", "Evening bells far off,"]
_HAIKU_LAST = ["the heart understands.", "a bird sings alone.", "spring is coming soon.", "the stars say good night.", "and the river flows.", "silence after rain.", "the reeds bow and rest.", "light on empty paths.",
               "a cricket answers.", "the lantern burns low."]


def haiku(rng, answer):
    """Three lines; lists and code stand between the first and the last one."""
    first, last = rng.choice(_HAIKU_FIRST), rng.choice(_HAIKU_LAST)
    if answer.kind in ("code", "list"):
        body = answer.text.split("\n\n", 1)[-1]
        return f"{first}\n\n{body}\n\n{last}"
    middle = answer.brief().split(". ")[0].rstrip(".!")
    if answer.kind == "story":
        middle = re.sub(r"^(Once upon a time there was|There once lived|Long ago there was) ", "", middle)
    return f"{first}\n{middle},\n{last}"


def robot(rng, answer):
    return _wrap(rng, answer, answer.text, ["BEEP BOOP.", "BEEP. Query received.", "BZZT. Processing."], ["End of transmission. BEEP.", "Task complete. BEEP BOOP.", "Awaiting next input. BEEP."])


def medieval(rng, answer):
    table = {"you": "thee", "You": "Thou", "your": "thy", "Your": "Thy", "Hello": "Hail", "Hi": "Hail", "Yes": "Yea", "No": "Nay"}
    return _wrap(rng, answer, _words(answer.text, table), ["Hark!", "Hear ye!", "By my sword!", "Verily,"], ["Thus it is, noble traveller.", "So say I, good traveller.", "Fare thee well, noble friend."])


_COUPLETS = ["Roses are red and the sky is blue,\nI said it to rhyme, and I said it to you.", "The sun goes down and the moon will rise,\nand now you know it, and now you are wise.",
             "A bird in the tree and a fish in the sea,\nwhatever you wonder, just ask it of me.", "A cup of tea and a slice of bread,\nremember well what I just said.",
             "The day is long and the night is deep,\na thing well learned is a thing to keep."]


def rhyme(rng, answer):
    text = answer.text if answer.kind in ("list", "code", "story") else answer.brief()
    return f"{text}\n\n{rng.choice(_COUPLETS)}"


def coder(rng, answer):
    """The code helper: facts come with a line of Python."""
    if answer.kind in ("code", "list", "story", "chat", "unknown"):
        tail = {"code": one_of(rng, ["Run it and tell me what you see.", "Shall I explain it line by line?"]),
                "chat": one_of(rng, ["Shall we write some code?", "Which language shall we use?"])}.get(answer.kind, "")
        joint = "\n\n" if answer.kind == "code" else " "
        return answer.text + (joint + tail if tail else "")
    if answer.kind == "sum":
        return f"{answer.short}\n\n```python\nprint({answer.short.split(' = ')[0]})  # {answer.key}\n```"
    value = (answer.key or answer.brief()).rstrip(".").replace('"', "'")
    return f"{answer.brief()}\n\n```python\nprint(\"{value}\")\n```"


MANNERS = {f.__name__: f for f in (plain, pirate, teacher, formal, terse, cheerful, haiku, robot, medieval, rhyme, coder)}

# How a system prompt asks for a manner.
PROMPTS = {
    "plain": ["You are [a|] helpful[| and friendly] assistant.", "Be helpful.", "Answer [the user's questions|questions] [clearly|honestly|politely].", "You answer [simply|in plain English].", "Help the user."],
    "pirate": ["[Speak|Talk|Answer|Always speak] like a pirate.", "You [speak|talk] like [a|an old] pirate.", "You are a pirate[ captain|].", "Use pirate [language|speech|talk].", "You are a [cheerful |rough |]pirate who sails the seven seas."],
    "teacher": ["You are a [patient|kind|plain|] teacher[ for children|].", "[Explain|Answer] like a teacher.", "You are a teacher who explains things simply and ends with a question.", "Teach [the user|children] with simple words."],
    "formal": ["[Speak|Answer|Reply] [formally|in a formal tone|very politely and formally].", "You are a [formal |polite |]butler.", "Use formal language[ at all times|].", "Be very formal."],
    "terse": ["[Answer|Reply] in one [short |]sentence.", "Be [brief|terse|very short|concise].", "Keep [your answers|it] [very |]short.", "Use as few words as possible.", "Short answers only."],
    "cheerful": ["Be [very |]cheerful[ and full of energy|].", "You are [always |][cheerful|excited|happy].", "[Speak|Answer] [cheerfully|with great joy|with enthusiasm].", "You are a cheerful friend."],
    "haiku": ["[Answer|Reply|Speak] [only |]in haiku.", "You are a haiku poet[ who answers in three short lines|].", "Every answer is a haiku[ of three lines|].", "Answer with three short lines, like a haiku."],
    "robot": ["[Speak|Talk|Answer] like a robot.", "You are a [rusty |friendly |]robot.", "You are a robot that says beep.", "Use robot language."],
    "medieval": ["[Speak|Talk|Answer] like a [medieval |]knight.", "You are a [noble |medieval |]knight.", "Speak in old English[ like in the Middle Ages|].", "You live in the Middle Ages.", "Use medieval language."],
    "rhyme": ["[Answer|Speak] in rhyme[s|].", "End every answer with a rhyme.", "You love rhymes[ and end with one|].", "You are a rhyming poet."],
    "coder": ["You are a code helper.", "You help with [code|programming] and like to show [short |]Python.", "You are a programming assistant who shows code.", "Answer with [short |]code[ whenever you can|]."],
}
