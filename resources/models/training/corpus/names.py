"""Names: a typed pool, plus invented ones, so that the model learns to copy and not to recall."""

POOL = """Ada Alan Alba Alice Amir Amy Ana Andrea Anika Anna Anton Aria Arjun Arthur Asha Astrid Ben Bella Bianca Bob
Boris Bruno Callum Carla Carlos Carmen Cecil Chen Clara Cleo Colin Cora Dalia Dan Dana Daniel Daria David Dev Diana
Diego Dora Edgar Edith Ella Elena Eli Elias Elif Emil Emily Emma Enzo Eric Erik Esther Eva Eve Fatima Felix Fiona
Frank Freya Frida Gabriel George Gina Grace Greta Gus Hana Hannah Harry Hassan Hector Helen Henry Hugo Ian Ibrahim
Ida Igor Ines Ingrid Irene Iris Isaac Isabel Ivan Ivy Jack Jacob James Jamie Jana Jane Jasper Jin Joanna Joe John
Jonas Jose Josh Juan Judy Julia June Kai Karim Karl Kate Kenji Kim Klara Kofi Lara Laura Leah Lee Lena Leo Leon
Levi Lily Lin Lina Linda Liam Lisa Lola Lorenzo Louis Luca Lucy Luis Luna Maja Malik Manuel Marco Maria Marie Mark
Marta Martin Mary Mateo Matt Max Maya Mei Mia Michael Miguel Mila Mina Mira Mohamed Molly Mona Nadia Naomi Nico Nina
Noah Noor Nora Oleg Olga Oliver Olivia Omar Oscar Otto Pablo Paul Paula Pedro Penny Peter Petra Philip Piet Priya
Quinn Rachel Rafael Rahul Raj Rania Ravi Rita Robert Robin Rosa Rose Ruby Ruth Sam Samir Sandra Sara Sarah Sasha
Selma Serena Sergio Simon Sina Sofia Sonia Stella Sven Tara Tariq Tess Theo Thomas Tim Tina Tom Tomas Uma Ursula
Vera Victor Viola Wendy Will William Yara Yasmin Yuki Yusuf Zara Zoe Alex Jordan Taylor Chris Steve Nick Kevin Brian
Minji Jisoo Haruto Sakura Wei Ling Ahmed Leila Amara Chidi Ngozi Kwame Zainab Aisha Lakshmi Dmitri Katya Bjorn""".split()

BOT_POOL = """Mira Nova Atlas Echo Sage Pixel Juno Orion Luna Iris Ember Willow Pepper Biscuit Ziggy Bolt Cosmo Nimbus
Coral Jasper Hazel Opal Rowan Sol Vega Lyra Quill Scout Maple Clover Indigo Onyx Pip Rusty Marlow Captain_Salt
Professor_Oak Doctor_Finch Captain_Flint Redbeard Basho Ada Turing Minerva Athena Apollo Merlin Gandor Sir_Roland
Lady_Ruth Mister_Bell Miss_Poppy Chef_Luigi Old_Tom Blackbeard Robo-7 Unit_9 Byte Chip Sparky Sunny Joy Daisy""".split()

# Names that only the evaluation uses. Nothing generated may contain them.
HELD_OUT = set("""Quillon Brisella Tamsin Orrick Zephyra Doralee Kestrel Fennimore Bartholomew Xanthe Ottoline
Wrenna Mordecai Jorvik Sunniva Thackeray Ludmilla Perrin Calista Anselm Velda Rosalind Ignatius Marguerite
Oswin Delphine Torben Yolanda Barnaby Saffron Odessa Hamish Isolde Vikram Solveig""".split())

_ONSET = "b br c ch cl d dr f fl g gl gr h j k kr l m n p pr qu r s sh sk sl st t th tr v w y z".split()
_VOWEL = "a a a e e e i i o o u ai ea ee ia io oa ou".split()
_CODA = ["", "", "", "l", "n", "r", "s", "m", "d", "k", "t", "x", "th", "nd", "rn", "ck", "ll", "ss"]


def invented(rng):
    """A pronounceable name that most likely nobody has."""
    syllables = 2 if rng.random() < 0.75 else 3
    word = "".join(rng.choice(_ONSET) + rng.choice(_VOWEL) for _ in range(syllables))
    name = (word + rng.choice(_CODA)).capitalize()
    return invented(rng) if name in HELD_OUT else name


def blended(rng):
    """The head of one name with the tail of another ('Fred' and 'Serena': 'Frerena'), or a word used as a name."""
    if rng.random() < 0.2:
        name = rng.choice(HERO_ANIMALS + HERO_THINGS).capitalize()
    else:
        first, second = rng.choice(POOL), rng.choice(POOL)
        name = first[:rng.randrange(2, 5)] + second[-rng.randrange(2, 6):].lower()
        if rng.random() < 0.25:
            name += rng.choice(["line", "more", "ray", "bert", "wick", "ton", "ley", "lyn", "dor", "mund", "fred", "gard", "ette", "ina"])
    return blended(rng) if name in HELD_OUT else name


def person(rng):
    """A user's name."""
    return rng.choice([rng.choice(POOL), invented(rng), blended(rng), blended(rng)])


def assistant(rng):
    """A persona's name."""
    if rng.random() < 0.2:
        return rng.choice(BOT_POOL).replace("_", " ")
    return person(rng)


HERO_ANIMALS = """fox rabbit bear cat dog mouse owl frog turtle hedgehog squirrel duck penguin lion tiger elephant monkey
horse pony pig sheep goat cow hen rooster goose swan crow raven robin sparrow parrot dolphin whale octopus crab snail
bee butterfly ant spider beetle wolf deer badger otter beaver mole bat snake lizard dragon unicorn kitten puppy lamb
giraffe zebra camel koala panda kangaroo seal walrus hamster donkey chicken peacock flamingo fish shark""".split()

HERO_PEOPLE = """king queen prince princess knight wizard witch pirate sailor farmer baker gardener painter teacher
fisherman clockmaker astronaut detective robot ghost giant fairy inventor carpenter musician dancer librarian doctor
shepherd cook tailor explorer girl boy grandmother grandfather lighthouse_keeper toymaker blacksmith
postman nurse magician scientist""".split()

HERO_THINGS = """cloud star stone lamp train boat teapot kite umbrella clock snowman tree leaf balloon candle bicycle
pencil book shoe button bell lantern car spoon moon raindrop""".split()


def hero_kind(rng):
    """Who a story is about: 'fox', 'clockmaker', 'kite'."""
    if rng.random() < 0.08:
        return invented(rng).lower()
    pool = rng.choice([HERO_ANIMALS, HERO_ANIMALS, HERO_PEOPLE, HERO_PEOPLE, HERO_THINGS])
    return rng.choice(pool).replace("_", " ")
