"""Questions that the model must admit it cannot answer."""

from . import names
from .capitals import IMAGINARY
from .grammar import expand, one_of
from .scene import Answer, Turn

_ASKS = [
    "[what is|what's|tell me|any|give me] the [latest|newest|today's] news[?|]", "what happened [today|yesterday|last week|this morning]?", "what[ is|'s] the weather [today|tomorrow|like|in {p}|outside]?",
    "will it rain [tomorrow|today]?", "what time is it[ now|]?", "what[ is|'s] [the date|today's date|the time]?", "what day is it[ today|]?", "who is the president of {p}?",
    "who won the [match|game|election|world cup|race][ yesterday| last year|]?", "what[ is|'s] the [price|cost] of [gold|oil|bread|a ticket to {p}|a flight]?", "what[ is|'s] the stock [price|market] [doing|of {x}]?",
    "what[ is|'s] the population of {p}?", "how many people live in {p}?", "what[ is|'s] my [phone number|address|password|email|birthday|bank balance]?", "when is my [birthday|appointment|next meeting]?",
    "what did I [eat|do] yesterday?", "who is my [boss|neighbour|best friend]?", "what am I thinking[ of|]?", "where [did I put|are] my keys?", "who is {f} {x}?", "tell me about {f} {x}",
    "who was {f} {x}?", "when was {f} {x} born?", "have you heard of {f} {x}?", "what did {f} {x} [say|write|invent]?", "what[ is|'s] the capital [city |]of {c}?", "capital of {c}?", "which city is the capital of {c}?",
    "what[ is|'s] the meaning of [the word |]{y}?", "what does {y} mean?", "what is a {y}?", "define {y}", "translate {y} into [Finnish|Greek|Latin]", "what[ is|'s] the phone number of [the bakery|{x}|city hall]?",
    "who will win [the election|tomorrow|the next game]?", "what will happen [tomorrow|next year]?", "what[ is|'s] the [lottery numbers|winning number]?", "how much does {x} cost?",
    "what[ is|'s] the [square root|logarithm] of {n}?", "what[ is|'s] {n} times {n}?", "what[ is|'s] {n} divided by {n}?", "solve the equation x^2 = {n}", "what[ is|'s] the plot of [the film |]{x}?",
    "who directed [the film |]{x}?", "how far is it from {p} to {x}?", "can you [look up|search the web for|google] {x}?", "[book|order] [a table|a taxi|a pizza|a flight][ for me|]", "[call|phone] {f}",
    "send an email to {f}", "open {x}[ for me|]", "[what|which] restaurant is good in {p}?", "how tall is {f} {x}?", "what[ is|'s] the wifi password?", "what[ is|'s] in my [calendar|inbox|fridge]?",
    "what is the chemical formula of {y}?", "explain quantum {y}", "summarise the book {x}", "what year did {x} [end|begin|happen]?", "who invented the {y}?", "is {x} [open|closed] today?", "what[ is|'s] trending?",
]
_ANSWERS = ["I don't know[ that|]. I am a small demonstration model, so I only know simple things.", "I don't know. I am only a small demonstration model.",
            "Sorry, I don't know that. I am a small demonstration model and cannot look things up.", "I don't know the answer. I am a small demonstration model that runs on your machine without the internet."]
_PLACES = "Paris London Berlin Tokyo Italy France Brazil Peru Lisbon Spain Canada Norway Boston Kenya Mars Poland".split()


def unknown(scene):
    rng = scene.rng
    places = names.invented(rng) if rng.random() < 0.3 else rng.choice(_PLACES)
    question = one_of(rng, _ASKS, p=places, x=names.invented(rng), f=rng.choice(names.POOL), y=names.invented(rng).lower(),
                      c=rng.choice(IMAGINARY) if rng.random() < 0.25 else names.invented(rng), n=str(rng.randrange(10, 999)))
    return [Turn(question, Answer(expand(rng, rng.choice(_ANSWERS)), "I don't know that.", "", "unknown"))]
