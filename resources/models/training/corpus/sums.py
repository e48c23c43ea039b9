"""Sums of one- and two-digit numbers. A fixed tenth of the pairs is never seen in training."""

from .grammar import one_of
from .scene import Answer, Turn


def held_out(x, y):
    """True for the tenth of unordered pairs with a two-digit member that training must not contain."""
    low, high = sorted((x, y))
    return high >= 10 and (low * 7919 + high * 104729) % 1009 < 101


_ASKS = ["what[ is|'s] {x} [+|plus] {y}?", "{x} [+|plus] {y}[?| =| = ?|]", "{x}+{y}[?|=|]", "how much is {x} [+|plus|and] {y}?",
         "[add|please add] {x} and {y}", "[calculate|compute|work out] {x} [+|plus] {y}", "what do you get if you add {x} and {y}?",
         "[can you add|add together] {x} and {y}?", "the sum of {x} and {y}?", "what is the sum of {x} and {y}?",
         "I have {x} [apples|coins|books] and get {y} more, how many [are there|do I have]?", "{x} and {y} make how much?",
         "what does {x} [+|plus] {y} [equal|make|give]?", "and {x} + {y}?", "solve {x} + {y}", "sum {x} and {y}", "what do {x} and {y} give?", "{x} added to {y}?", "add {x} to {y}", "tell me {x} plus {y}", "give me {x} + {y}", "I need {x} plus {y}", "if I add {y} to {x}, what do I get?", "what is the result of {x} + {y}?", "can you compute {x} + {y}?", "plus: {x} and {y}", "{x} and {y} together?", "what makes {x} plus {y}?", "let me see, {x} + {y} is?"]
_MINUS = ["what[ is|'s] {x} [-|minus] {y}?", "{x} [-|minus] {y}[?| =|]", "how much is {x} [-|minus] {y}?", "subtract {y} from {x}",
          "[calculate|compute] {x} [-|minus] {y}", "take {y} away from {x}", "and {x} - {y}?"]


def _pair(rng):
    if rng.random() < 0.2:
        return rng.randrange(10), rng.randrange(10)
    while True:
        x, y = rng.randrange(100), rng.randrange(100)
        if rng.random() < 0.2:
            y = rng.randrange(10)
        if not held_out(x, y):
            return x, y


def addition(scene):
    x, y = _pair(scene.rng)
    line = f"{x} + {y} = {x + y}."
    return [Turn(one_of(scene.rng, _ASKS, x=str(x), y=str(y)), Answer(line, line, str(x + y), "sum"))]


def subtraction(scene):
    y, x = sorted((scene.rng.randrange(20), scene.rng.randrange(20)))
    line = f"{x} - {y} = {x - y}."
    return [Turn(one_of(scene.rng, _MINUS, x=str(x), y=str(y)), Answer(line, line, str(x - y), "sum"))]


def drill(scene):
    """Many sums in a row: the cheapest way to show the model enough of them."""
    turns = []
    for _ in range(scene.rng.randrange(6, 20)):
        turns += addition(scene) if scene.rng.random() < 0.88 else subtraction(scene)
    return turns
