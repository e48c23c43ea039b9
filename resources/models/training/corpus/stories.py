"""Short stories: a hero from the question, a place, a problem, a helper, and a good end."""

from . import names
from .grammar import a, capitalise, expand, one_of
from .scene import Answer, Turn

PLACES = ["by the sea", "in a deep forest", "on a high hill", "in a small town", "near a quiet river", "in a big city", "on a lonely island", "in the mountains",
          "at the edge of a desert", "in an old castle", "under a bridge", "on a farm", "in a garden", "in space", "at the North Pole", "in a library"]
_QUALITIES = "kind brave shy curious small lonely clever patient cheerful old young gentle lazy stubborn".split()
_HELPERS = ["a wise owl", "a little mouse", "an old woman", "a friendly bear", "a cheerful boy", "a tiny bird", "a grey cat", "a clever girl", "a gentle giant", "a travelling singer"]
_OBJECTS = ["a golden key", "a silver bell", "an old map", "a red umbrella", "a small lantern", "a warm scarf", "a music box", "a blue stone", "a letter", "a magic seed"]

# theme: (beginning, middle, turning point, end). {h} is the hero's name, {k} the kind, {p} the place.
PLOTS = {
    "lost": ("One {day}, {h} lost the way home.", "It grew dark, and {h} felt afraid.", "Then {helper} came along with {object} and showed the way.",
             "At last {h} saw a light in the window, and everyone was happy.", "asking for help is brave"),
    "treasure": ("One {day}, {h} found {object} under a stone.", "{h} wondered who had lost it and asked everyone {p}.", "At last {helper} said that it was a gift from a friend long gone.",
                 "{h} gave it back, and the two shared a warm meal.", "honest hands find friends"),
    "friend": ("{h} had nobody to play with and often felt alone.", "One {day}, {h} heard someone crying behind a tree.", "It was {helper}, who had no friends either.",
               "From then on they met every day, and {h} was never lonely again.", "a friend may be nearer than you think"),
    "storm": ("One {day}, a great storm came up {p}.", "The wind broke the roof, and the rain came in.", "{h} worked all night, and {helper} came to help.",
              "In the morning the sun rose, and the new roof was stronger than before.", "many hands make light work"),
    "dream": ("Every night {h} dreamed of flying above the clouds.", "Everybody laughed at the idea.", "But {h} did not give up, and {helper} helped to build two large wings.",
              "On a clear morning {h} rose into the sky and waved at everyone below.", "big dreams begin with small steps"),
    "song": ("{h} loved to sing but was too shy to sing for others.", "One {day}, {helper} lost the courage to go on.", "So {h} took a deep breath and sang a quiet song.",
             "Everyone listened, and {h} was never shy again.", "a small voice can do great things"),
    "winter": ("One cold winter there was little to eat {p}.", "{h} had only one piece of bread left.", "Then {helper} knocked at the door, and {h} shared the bread.",
               "The next day a full basket stood outside, with a note that said thank you.", "kindness comes back"),
    "race": ("One {day}, there was a great race {p}.", "Nobody thought that {h} could win.", "Halfway, {h} stopped to help {helper}, who had fallen.",
             "{h} came in last, but the whole crowd cheered.", "helping is better than winning"),
    "light": ("One {day}, all the lights went out {p}.", "Nobody could find the way, and the children began to cry.", "{h} remembered {object} and asked {helper} to carry it up the tower.",
              "Soon everything was bright again, and the people danced until morning.", "a little light goes a long way"),
    "garden": ("{h} planted a seed and watered it every day.", "For weeks nothing happened, and {h} almost gave up.", "But {helper} said that good things take time.",
               "One {day} a wonderful flower opened, and everyone came to see it.", "patience is rewarded"),
    "door": ("One {day}, {h} found a little door that nobody had seen before.", "It was locked, and {h} searched for a key {p}.", "In the end {helper} gave {h} {object}, and the door opened.",
             "Behind it was a room full of books, and {h} read happily ever after.", "curiosity opens doors"),
}
_DAYS = ["morning", "evening", "summer day", "windy day", "spring morning", "rainy afternoon", "autumn day", "night"]
_TOPICS = {"lost": ["getting lost", "finding the way home"], "treasure": ["a treasure", "honesty", "a secret"], "friend": ["friendship", "making a friend", "being lonely"],
           "storm": ["a storm", "the rain", "helping each other"], "dream": ["a dream", "flying", "never giving up"], "song": ["music", "a song", "courage", "being shy"],
           "winter": ["winter", "kindness", "sharing", "snow"], "race": ["a race", "winning and losing", "sports"], "light": ["the dark", "light", "the night"],
           "garden": ["a garden", "patience", "a flower"], "door": ["a secret door", "books", "curiosity"]}
_ASKS = ["[tell|write] [me |]a [short |little |]story about {x}[.|]", "[can you |please |]tell me a [short |]story about {x}[?|]", "[a |one ]story about {x}[ please|]", "write [a tale|a short tale|something] about {x}",
         "I['d like| would like| want] a [short |]story about {x}", "make up a story about {x}", "tell a story with {x}", "give me a [bedtime |]story about {x}", "do you know a story about {x}?",
         "story: {x}", "tell my [son|daughter|kids] a story about {x}", "once upon a time there was {x}. [go on|continue]", "[write|create] a fairy tale about {x}", "let's have a story about {x}",
         "tell me about {x}, as a story", "[invent|imagine] a story[, it should be| that is|] about {x}", "could I [have|hear] a story about {x}?", "please [write|tell] a [nice |funny |]story with {x} in it", "I love stories about {x}, tell me one", "my [son|daughter] wants a story about {x}", "a tale of {x}", "tell me something about {x} as a story",
         "write me [a|one] story about {x}", "write a [short|nice|small] story with {x}", "{x}: tell a story", "can you [write|invent] a [little |nice |]story about {x}?", "I need a story about {x} for [bedtime|school]", "there was once {x}, please go on"]
_BARE = ["tell me a [short |]story", "tell me a [bedtime |]story[ please|]", "a story please", "write a story", "can you tell [me |]a story?", "I want to hear a story", "do you know a story?", "story time!", "tell me a fairy tale"]


# A wish in the question comes back in the first sentence: 'who wants to fly' -> 'who wanted to fly'.
_WISHES = ["fly", "sing", "dance", "see the sea", "find a friend", "learn to swim", "visit the moon", "paint", "read", "be brave", "travel the world", "build a house", "cook", "win a race", "go home"]


def tell(rng, kind, hero_name, place, plot, wish=""):
    """One story of 6 to 9 sentences; `hero_name` and `wish` may be empty."""
    opening, middle, turning, end, moral = PLOTS[plot]
    hero = hero_name or "the " + kind
    quality = rng.choice(_QUALITIES)
    first = one_of(rng, ["Once upon a time there was {q} {k}", "There once lived {q} {k}", "Long ago there was {q} {k}"], q=a(quality), k=kind)
    first += f" named {hero_name} who lived {place}." if hero_name else f" who lived {place}."
    if wish:
        first += f" {capitalise(hero)} wanted to {wish} more than anything."
    extra = one_of(rng, ["Everyone knew {h} well.", "{h} liked the mornings best of all.", "{h} had a warm heart.", "{h} was never in a hurry.", "Each day was much like the one before."])
    close = one_of(rng, [f"And so {hero} learned that {moral}.", f"Since then {hero} has always known that {moral}.", f"That is how {hero} learned that {moral}."])
    tail = one_of(rng, ["", "", " The end."])
    slots = dict(h=hero, p=place, day=rng.choice(_DAYS), helper=rng.choice(_HELPERS), object=rng.choice(_OBJECTS))
    # A named hero is also called by its kind, so that a story about a fox stays one about a fox.
    by_kind = {**slots, "h": "the " + kind}
    body = [expand(rng, extra, **by_kind)] if rng.random() < 0.7 else []
    body += [expand(rng, opening, **slots), expand(rng, middle, **by_kind), expand(rng, turning, **slots)]
    if rng.random() < 0.4:
        body.append(one_of(rng, [f'"Thank you," said {hero}.', f"{hero} smiled for the first time in days.", f'"I will never forget this," said {hero}.']))
    body.append(expand(rng, end, **by_kind))
    return " ".join([first] + [capitalise(line) for line in body] + [close]) + tail


def story(scene):
    rng = scene.rng
    plot = rng.choice(list(PLOTS))
    kind, place, hero = names.hero_kind(rng), rng.choice(PLACES), ""
    way, wish = rng.random(), ""
    if way < 0.1:
        question = one_of(rng, _BARE)
    elif way < 0.22:
        question = one_of(rng, _ASKS, x=rng.choice(_TOPICS[plot]))
        hero = names.person(rng)
    else:
        about = a(kind)
        if rng.random() < 0.3:
            about = a(f"{rng.choice(_QUALITIES)} {kind}")
        if rng.random() < 0.35:
            hero = names.person(rng)
            about += one_of(rng, [" named {h}", " called {h}", " whose name is {h}"], h=hero)
        if rng.random() < 0.35:
            about += one_of(rng, [" {p}", " who lives {p}", " that lives {p}"], p=place)
        if rng.random() < 0.15:
            wish = rng.choice(_WISHES)
            about += one_of(rng, [" who wants to {w}", " that wants to {w}", " who wanted to {w}", " who dreams to {w}"], w=wish)
        question = one_of(rng, _ASKS, x=about)
    if not hero and rng.random() < 0.1:
        hero = names.person(rng)
    text = tell(rng, kind, hero, place, plot, wish)
    turns = [Turn(question, Answer(text, ". ".join(text.split(". ")[:3]) + ".", "", "story"))]
    if rng.random() < 0.25:
        other = rng.choice([p for p in PLOTS if p != plot])
        text = tell(rng, names.hero_kind(rng), names.person(rng) if rng.random() < 0.5 else "", rng.choice(PLACES), other)
        again = one_of(rng, ["another one[ please|!|]", "[tell me |]another story[ please|]", "one more[ please|]", "again, a different one", "more", "can I hear another[ one|]?", "now another story", "please tell another one", "do you know another one?", "a new story please", "nice, and another?"])
        turns.append(Turn(again, Answer(text, ". ".join(text.split(". ")[:3]) + ".", "", "story")))
    return turns
