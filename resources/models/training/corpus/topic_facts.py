"""Questions on the fact tables. Every topic takes a scene and returns a list of turns."""

from . import concepts, facts
from .capitals import CAPITALS, with_article
from .grammar import a, capitalise, expand, one_of
from .scene import Answer, Turn


def _turn(rng, questions, full, short, key):
    return Turn(one_of(rng, questions), Answer(one_of(rng, full), short, key))


def capital(scene):
    rng = scene.rng
    country = rng.choice(list(CAPITALS))
    city, place = CAPITALS[country], with_article(country)
    full = f"The capital of {place} is {city}."
    if rng.random() < 0.12:
        question = one_of(rng, [
            f"[which|what] country has {city} as its capital?", f"{city} is the capital of [which|what] country?",
            f"of which country is {city} the capital?", f"{city} is the capital of what?", f"which country is governed from {city}?", f"[{city}|the city of {city}] is which country's capital?"])
        return [Turn(question, Answer(f"{city} is the capital of {place}.", f"{capitalise(place)}.", country))]
    question = one_of(rng, [
        f"what[ is|'s] the capital [city |]of {place}?", f"what[ is|'s] {place}'s capital[ city|]?",
        f"[tell me|say|name|give me] the capital [city |]of {place}", f"capital of {country}[?|]",
        f"which city is the capital of {place}?", f"do you know the capital of {place}?",
        f"[can|could] you tell me [the capital of {place}|what the capital of {place} is]?",
        f"[I need|I'd like|I want] [to know |]the capital of {place}", f"{country}'s capital[?| city?]",
        f"what is the name of the capital [city |]of {place}?", f"in {place}, which city is the capital?",
        f"[i forgot|remind me] what the capital of {place} is", f"which city is {place}'s capital?",
        f"what city is the [seat of government|capital] in {place}?", f"my [homework|quiz] asks for the capital of {place}",
        f"I'm [travelling|going] to {place}, what[ is|'s] the capital [there|]?", f"{country} capital?",
        f"is there a capital of {place}[ and what is it|]?", f"what would be the capital of {place}?", f"[the|a] capital of {place} is [called |]what?", f"what do you call the capital of {place}?",
        f"[find|look up|give] the capital of {place}", f"what place is the capital of {place}?", f"I am looking for the capital of {place}", f"[quiz|test|riddle]: the capital of {place}[?|]",
        f"{place} has which capital?", f"what capital does {place} have?", f"from which city is {place} governed?", f"can you name [the capital of {place}|{place}'s capital]?",
        f"what town is the capital of {place}?", f"I can't remember the capital of {place}", f"let me know the capital of {place}", f"the main city of {place}, I mean the capital?"])
    more = expand(rng, f"[{full}|{full}|{full}|{city} is the capital of {place}.|{full} It is {place}'s seat of government.]")
    turns = [Turn(question, Answer(more, full, city))]
    while rng.random() < 0.3:
        other = rng.choice(list(CAPITALS))
        follow = one_of(rng, ["and [of |]{x}?", "and [what about |]{x}?", "what about {x}?", "how about {x}?", "and for {x}?"],
                        x=with_article(other))
        line = f"The capital of {with_article(other)} is {CAPITALS[other]}."
        turns.append(Turn(follow, Answer(line, line, CAPITALS[other])))
    return turns


def opposite(scene):
    rng = scene.rng
    word, other = rng.choice(list(facts.OPPOSITES.items()))
    if rng.random() < 0.4 and list(facts.OPPOSITES.values()).count(other) == 1 and other not in facts.OPPOSITES:
        word, other = other, word
    line = f'The opposite of "{word}" is "{other}".'
    return [_turn(rng, [f"what[ is|'s] the opposite of [{word}|\"{word}\"|the word {word}]?", f"opposite of {word}[?|]",
                        f"[tell me|give me|say|name] the opposite of {word}", f"what[ is|'s] the antonym of {word}?",
                        f"which word means the opposite of {word}?", f"what word is opposite to {word}?",
                        f"the opposite of {word} is [what|...]?", f"{word} is the opposite of what?", f"what[ is|'s] the reverse of {word}?", f"say the opposite: {word}", f"if it is not {word}, it is ...?", f"I need the opposite of {word}", f"what would be the opposite of {word}?",
                        f"find an antonym for {word}", f"which word is the contrary of {word}?", f"do you know the opposite of {word}?", f"not {word} but ...?"], [line], line, other)]


def plural(scene):
    rng = scene.rng
    word, many = rng.choice(list(facts.PLURALS.items()))
    line = f'The plural of "{word}" is "{many}".'
    return [_turn(rng, [f"what[ is|'s] the plural [form |]of [{word}|\"{word}\"|the word {word}]?", f"plural of {word}[?|]",
                        f"[tell me|give me|say] the plural of {word}", f"how do you [say|write|form] the plural of {word}?",
                        f"one {word}, two ...?", f"what do you call more than one {word}?",
                        f"how do I write {word} in [the |]plural?", f"what would be the plural of {word}?", f"many of them: {word}?", f"I need the plural of {word}", f"do you know the plural of {word}?", f"what is {word} in the plural?",
                        f"how does the plural of {word} look?", f"put {word} into the plural", f"I have one {word}, you have two ...?"], [line], line, many)]


def colour(scene):
    rng = scene.rng
    thing, tint = rng.choice(list(facts.COLOURS.items()))
    mass = {"grass", "blood", "coal", "milk", "chocolate", "gold", "silver", "salt", "honey", "ketchup", "lavender", "snow", "lettuce"}
    one = thing if thing in mass else ("the " + thing if thing in {"sky", "sea", "night sky"} else a(thing))
    line = f"{capitalise(one)} is {tint}."
    return [_turn(rng, [f"what colo[u|]r is {one}?", f"[which|what] colo[u|]r does {one} have?", f"[tell me|do you know] the colo[u|]r of {one}?",
                        f"what[ is|'s] the colo[u|]r of {one}?", f"colo[u|]r of {one}?", f"{one} is [which|what] colo[u|]r?",
                        f"[say|can you say] what colo[u|]r {one} is?", f"which colo[u|]r is typical for {one}?", f"do you know what colo[u|]r {one} has?", f"is {one} {tint}?", f"I want to paint {one}, which colo[u|]r do I take?",
                        f"in which colo[u|]r do you see {one}?", f"what[ is|'s] the usual colo[u|]r of {one}?", f"{one}: what colo[u|]r?"],
                  [f"[{line}|{line}|{capitalise(one)} is usually {tint}.]"], line, tint)]


def animal(scene):
    rng = scene.rng
    which = rng.choice(["baby", "sound", "legs", "home", "class"])
    if which == "baby":
        beast, young = rng.choice(list(facts.BABIES.items()))
        line = f"A baby {beast} is called {a(young)}."
        asks = [f"what[ is|'s] a baby {beast} called?", f"what do you call a [baby|young] {beast}?", f"[the |]name for a [young|baby] {beast}?",
                f"how is a [young|baby] {beast} called?", f"what are [young|baby] {facts.PLURALS.get(beast, beast + 's')} called?", f"which name has a [young|little] {beast}?", f"a little {beast} is called what?", f"what do people call a [little|young] {beast}?", f"what[ is|'s] the [name|word] for a [baby|young] {beast}?"]
        return [_turn(rng, asks, [line], line, young)]
    if which == "sound":
        beast, sound = rng.choice(list(facts.SOUNDS.items()))
        line = f'{capitalise(a(beast))} says "{sound}".'
        asks = [f"what [sound|noise] does {a(beast)} make?", f"what does {a(beast)} say?", f"how does {a(beast)} [sound|go]?",
                f"[tell me|do you know] what {a(beast)} says[?|]", f"[which|what] sound comes from {a(beast)}?", f"imitate {a(beast)}", f"can you [sound|speak] like {a(beast)}?", f"which sound do {facts.PLURALS.get(beast, beast + 's')} make?"]
        return [_turn(rng, asks, [line], line, sound)]
    if which == "legs":
        beast, legs = rng.choice(list(facts.LEGS.items()))
        line = f"{capitalise(a(beast))} has {legs} legs."
        asks = [f"how many legs does {a(beast)} have?", f"how many legs has {a(beast)}[ got|]?", f"[the |]number of legs of {a(beast)}?",
                f"{a(beast)} has how many legs?", f"how many legs do {facts.PLURALS.get(beast, beast + 's')} have?", f"how many legs can I count on {a(beast)}?", f"on how many legs does {a(beast)} walk?", f"[tell me|say] how many legs {a(beast)} has"]
        return [_turn(rng, asks, [line], line, legs)]
    if which == "home":
        beast, home = rng.choice(list(facts.HOMES.items()))
        where = "water" if home == "water" else a(home)
        line = f"{capitalise(a(beast))} lives in {where}."
        asks = [f"where does {a(beast)} live?", f"what[ is|'s] the home of {a(beast)}?", f"where do {facts.PLURALS.get(beast, beast + 's')} live?", f"what is the house of {a(beast)} called?", f"where do you find {a(beast)}?",
                f"in what does {a(beast)} live?", f"what does {a(beast)} live in?"]
        return [_turn(rng, asks, [line], line, home)]
    thing, family = rng.choice(list(facts.CLASSES.items()))
    subject = thing if family == "metal" or thing == "broccoli" else a(thing)
    line = f"{capitalise(subject)} is {a(family)}."
    asks = [f"what [kind|sort|type] of [thing|animal or thing] is {subject}?", f"what is {subject}?", f"is {subject} {a(family)}?",
            f"what [kind of thing |]is {subject}, exactly?", f"what group does {subject} belong to?"]
    question = one_of(rng, asks)
    text = ("Yes, " + line[0].lower() + line[1:]) if question.startswith("is ") else line
    return [Turn(question, Answer(text, text, family))]


def unit(scene):
    rng = scene.rng
    small, big, count = rng.choice(facts.UNITS)
    line = f"There are {count} {small} in {a(big) if big not in ('English alphabet', 'solar system') else 'the ' + big}."
    if big == "hour":
        line = "There are 60 minutes in an hour."
    place = line.split(" in ", 1)[1][:-1]
    return [_turn(rng, [f"how many {small} [are|are there] in {place}?", f"how many {small} does {place} have?",
                        f"how many {small} [make|make up] {place}?", f"{place} has how many {small}?",
                        f"[tell me|do you know] how many {small} are in {place}[?|]", f"number of {small} in {place}?",
                        f"how many {small} per {big}?", f"how many {small} can you find in {place}?", f"how many {small} belong to {place}?", f"I want to know how many {small} {place} has", f"count the {small} in {place}",
                        f"what is the number of {small} in {place}?", f"how many {small} fit into {place}?", f"in {place}, how many {small} are there?", f"{place} is how many {small}?"], [line], line, count)]


def calendar(scene):
    rng = scene.rng
    which = rng.choice(["day", "day", "month", "length", "season", "planet", "list"])
    if which in ("day", "month", "season"):
        names, kind = {"day": (facts.DAYS, "day"), "month": (facts.MONTHS, "month"), "season": (facts.SEASONS, "season")}[which]
        i, step = rng.randrange(len(names)), rng.choice([1, 1, -1])
        name, other = names[i], names[(i + step) % len(names)]
        side = "after" if step == 1 else "before"
        line = capitalise(f"{other} comes {side} {name}.")
        asks = [f"[what|which] {kind} [comes|is] {side} {name}?", f"what comes {side} {name}?", f"[name|tell me] the {kind} {side} {name}",
                f"which {kind} [follows|comes right after] {name}?" if step == 1 else f"which {kind} [precedes|comes right before] {name}?"]
        if which == "day" and step == 1:
            asks += [f"[it's|today is] {name} today, [and tomorrow|what comes tomorrow|what will tomorrow be]?", f"what day will it be tomorrow if today is {name}?", f"what day do we have after {name}?"]
            asks.append(f"[today is|if today is|it is] {name}[, what is tomorrow|. what day is tomorrow]?")
        return [_turn(rng, asks, [line], line, other)]
    if which == "length":
        month, days = rng.choice(list(facts.MONTH_DAYS.items()))
        line = f"{month} has {days} days."
        return [_turn(rng, [f"how many days [are|are there] in {month}?", f"how many days does {month} have?", f"how long is {month}?"], [line], line, days)]
    if which == "planet":
        names, ordinals = facts.PLANETS, facts.ORDINALS
        i = rng.randrange(8)
        line = f"{names[i]} is the {ordinals[i]} planet from the Sun."
        return [_turn(rng, [f"[which|what] is the {ordinals[i]} planet [from the sun|]?", f"which planet is [the |]{ordinals[i]} from the sun?",
                            f"name the {ordinals[i]} planet", f"what planet [comes|is] [at place|number] {i + 1}[ from the sun|]?", f"which planet is number {i + 1}?"], [line], line, names[i])]
    name, names = rng.choice([("days of the week", facts.DAYS), ("months of the year", facts.MONTHS),
                              ("seasons", [capitalise(s) for s in facts.SEASONS]), ("planets", facts.PLANETS)])
    joined = ", ".join(names[:-1]) + " and " + names[-1]
    line = f"The {name} are {joined}."
    return [_turn(rng, [f"what are the [names of the |]{name}?", f"[name|tell me|say] [all |]the {name}",
                        f"which are the {name}?", f"can you name [all |]the {name}?", f"I want to learn the {name}", f"what are the {name} called?", f"which {name} are there?"], [line], joined + ".", names[0])]


def geography(scene):
    rng = scene.rng
    if rng.random() < 0.5:
        country, tongue = rng.choice(list(facts.LANGUAGES.items()))
        line = f"People in {with_article(country)} mostly speak {tongue}."
        return [_turn(rng, [f"[what|which] language [do people speak|is spoken|do they speak] in {country}?",
                            f"what[ is|'s] the language of {country}?", f"what do people speak in {country}?", f"which language do I need in {country}?", f"what is spoken in {with_article(country)}?", f"how do people talk in {country}, in which language?", f"what language should I learn for {country}?"], [line], line, tongue)]
    country, land = rng.choice(list(facts.CONTINENTS.items()))
    line = f"{capitalise(with_article(country))} is in {land}."
    return [_turn(rng, [f"[on|in] [what|which] continent is {with_article(country)}?", f"what continent is {with_article(country)} [on|in]?",
                        f"where is {with_article(country)}?", f"where in the world is {with_article(country)}?", f"where can I find {with_article(country)}[ on the map|]?", f"[which|what] part of the world is {with_article(country)} in?", f"{country} is on which continent?"], [line], line, land)]


def concept(scene):
    rng = scene.rng
    asks, short, more = rng.choice(concepts.CONCEPTS)
    question = one_of(rng, asks)
    wrap = expand(rng, "[I want to understand: {q}|{q}? explain it simply|{q}, in simple words?|could you explain {q}?|let's talk about this: {q}?|{q}? I always wondered|{q}?|{q}?|{q}?|{q}|tell me, {q}?|can you [explain|tell me]: {q}?|I wonder, {q}?|my child asks: {q}?]", q=question)
    return [Turn(wrap, Answer(f"{short} {more}" if rng.random() < 0.85 else short, short, ""))]
