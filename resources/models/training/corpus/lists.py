"""Markdown lists: things of one kind, and the steps of everyday tasks."""

from .grammar import capitalise, one_of
from .scene import Answer, Turn

THINGS = {key.replace("_", " "): [item.replace("_", " ") for item in items.split()] for key, items in {
    "fruits": "apples bananas cherries oranges grapes pears plums strawberries mangoes peaches kiwis lemons",
    "vegetables": "carrots potatoes onions peas spinach broccoli tomatoes cabbage beans cucumbers peppers leeks",
    "colours": "red blue green yellow orange purple pink brown black white grey turquoise",
    "colors": "red blue green yellow orange purple pink brown black white grey turquoise",
    "animals": "cats dogs horses elephants lions owls frogs whales rabbits foxes bears penguins",
    "farm_animals": "cows pigs sheep goats hens horses ducks donkeys geese",
    "sea_animals": "whales dolphins sharks octopuses crabs seals turtles starfish",
    "birds": "owls robins eagles sparrows swans parrots crows penguins ducks storks",
    "insects": "bees ants butterflies beetles flies moths wasps crickets ladybirds",
    "flowers": "roses tulips daisies lilies sunflowers violets poppies orchids daffodils",
    "trees": "oak pine birch maple willow beech ash cedar palm",
    "drinks": "water tea coffee milk juice lemonade cocoa soda",
    "breakfast_foods": "bread eggs oats fruit yogurt pancakes cheese honey",
    "desserts": "cake ice_cream pudding pie cookies brownies waffles",
    "sports": "football tennis swimming basketball running cycling skiing rowing hockey volleyball",
    "hobbies": "reading painting gardening cooking chess hiking knitting photography singing",
    "instruments": "piano violin guitar flute drums trumpet cello harp clarinet",
    "musical_instruments": "piano violin guitar flute drums trumpet cello harp clarinet",
    "vehicles": "cars buses trains bicycles boats planes trucks trams ships",
    "countries": "France Japan Brazil Kenya Canada India Spain Egypt Norway Australia Peru",
    "cities": "Paris London Tokyo Cairo Lima Rome Berlin Oslo Madrid Sydney",
    "continents": "Africa Asia Europe North_America South_America Australia Antarctica",
    "oceans": "Pacific Atlantic Indian Arctic Southern",
    "languages": "English Spanish French Chinese Arabic German Japanese Hindi Italian",
    "programming_languages": "Python C++ JavaScript Rust Java Go C Ruby",
    "planets": "Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune",
    "days_of_the_week": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "seasons": "spring summer autumn winter",
    "shapes": "circle square triangle rectangle pentagon hexagon oval star",
    "jobs": "teacher doctor baker farmer nurse pilot cook painter carpenter",
    "clothes": "shirt trousers socks shoes coat hat scarf gloves jacket",
    "tools": "hammer saw drill screwdriver pliers wrench ladder axe",
    "kitchen_tools": "knife pan pot spoon whisk bowl grater oven",
    "school_subjects": "maths history biology music art geography physics English",
    "feelings": "joy sadness anger fear surprise pride hope love",
    "spices": "salt pepper cinnamon ginger paprika cumin basil nutmeg",
    "things_to_pack_for_a_trip": "clothes toothbrush passport charger book water_bottle umbrella",
    "things_to_buy": "bread milk eggs apples cheese rice tea",
    "furniture": "table chair bed sofa desk shelf wardrobe lamp",
    "pets": "dog cat rabbit hamster goldfish parrot turtle",
    "metals": "iron gold silver copper tin lead zinc",
    "gifts": "a_book flowers chocolate a_scarf a_game a_plant a_candle",
    "games": "chess hide_and_seek cards dominoes football tag checkers",
}.items()}

STEPS = {
    "make tea": ["Boil fresh water.", "Put a tea bag into a cup.", "Pour the hot water over it.", "Wait three minutes.", "Take out the bag and enjoy."],
    "make coffee": ["Grind the beans.", "Put the coffee into a filter.", "Pour hot water over it slowly.", "Wait until it has dripped through.", "Serve it hot."],
    "cook pasta": ["Boil a large pot of water.", "Add salt.", "Put in the pasta.", "Cook it for about ten minutes.", "Drain it and add the sauce."],
    "cook rice": ["Rinse the rice.", "Add two cups of water for one cup of rice.", "Bring it to a boil.", "Cover it and let it simmer for fifteen minutes.", "Let it rest before you serve it."],
    "boil an egg": ["Bring water to a boil.", "Lower the egg in with a spoon.", "Cook it for seven minutes.", "Cool it in cold water.", "Peel it."],
    "bake bread": ["Mix flour, water, salt and yeast.", "Knead the dough for ten minutes.", "Let it rise for an hour.", "Shape a loaf.", "Bake it for forty minutes."],
    "bake a cake": ["Heat the oven.", "Mix butter, sugar, eggs and flour.", "Pour the dough into a tin.", "Bake it for forty minutes.", "Let it cool."],
    "make a sandwich": ["Take two slices of bread.", "Spread butter on them.", "Add cheese and salad.", "Put the slices together.", "Cut the sandwich in half."],
    "make pancakes": ["Mix flour, milk and eggs.", "Heat a little butter in a pan.", "Pour in some batter.", "Turn the pancake when it is golden.", "Serve it with honey."],
    "make a salad": ["Wash the lettuce.", "Cut tomatoes and cucumber.", "Put everything into a bowl.", "Add oil, vinegar and salt.", "Mix it well."],
    "make soup": ["Chop some vegetables.", "Fry them in a little oil.", "Add water and salt.", "Let it simmer for half an hour.", "Serve it hot."],
    "plant a seed": ["Fill a pot with soil.", "Make a small hole.", "Drop in the seed.", "Cover it with soil.", "Water it and wait."],
    "plant a tree": ["Dig a wide hole.", "Set the young tree into it.", "Fill the hole with soil.", "Press the soil down.", "Water the tree well."],
    "brush your teeth": ["Put toothpaste on the brush.", "Brush all sides for two minutes.", "Spit out the foam.", "Rinse your mouth."],
    "wash your hands": ["Wet your hands.", "Use soap.", "Rub for twenty seconds.", "Rinse them.", "Dry them with a towel."],
    "wash the dishes": ["Fill the sink with hot water.", "Add a little soap.", "Scrub the dishes.", "Rinse them.", "Let them dry."],
    "tie a shoe": ["Cross the two laces.", "Pull one under the other.", "Make a loop with each lace.", "Tie the loops together.", "Pull tight."],
    "change a light bulb": ["Switch off the light.", "Let the old bulb cool.", "Turn it out.", "Turn in the new bulb.", "Switch on the light."],
    "change a tyre": ["Park on flat ground.", "Loosen the nuts.", "Lift the car with a jack.", "Change the wheel.", "Tighten the nuts."],
    "paint a wall": ["Cover the floor.", "Clean the wall.", "Paint the edges with a brush.", "Roll the paint on.", "Let it dry."],
    "clean a room": ["Open the window.", "Put everything in its place.", "Dust the shelves.", "Sweep the floor.", "Take out the rubbish."],
    "write a letter": ["Write the date.", "Greet the reader.", "Say what you have to say.", "Sign your name.", "Put it into an envelope."],
    "build a snowman": ["Roll a large snowball.", "Roll two smaller ones.", "Stack them.", "Add a carrot for the nose.", "Give it a hat."],
    "learn a language": ["Learn a few words every day.", "Listen to songs and films.", "Speak with people.", "Read simple books.", "Keep going."],
    "learn to code": ["Choose a language such as Python.", "Install it.", "Write a hello world program.", "Change it and see what happens.", "Build something small."],
    "ride a bicycle": ["Put on a helmet.", "Sit on the saddle.", "Push off with one foot.", "Pedal and look ahead.", "Brake gently to stop."],
    "pack a suitcase": ["Make a list.", "Fold your clothes.", "Put heavy things at the bottom.", "Fill the gaps with socks.", "Close it and check the weight."],
    "make a paper plane": ["Take a sheet of paper.", "Fold it in half and open it.", "Fold the top corners to the middle.", "Fold the wings down.", "Throw it gently."],
    "load a model in Quire": ["Open the models page.", "Choose a GGUF file or a Hugging Face folder.", "Wait until it is loaded.", "Start a new chat with it."],
    "prepare for an exam": ["Make a plan.", "Study a little every day.", "Test yourself.", "Sleep well.", "Arrive early."],
}

_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}
_LIST_ASKS = ["[make|write|give me|create|show me] a [markdown |bullet |short |]list of [{n} |some |]{x}", "list [{n} |some |]{x}[ please|]", "name {n} {x}", "[tell me|give me|I need] {n} {x}",
              "what are [some|{n}] {x}?", "[can|could] you list [{n} |some |]{x}?", "{n} {x}[ please|]", "[a |]list of {x}[ please|]", "which {x} do you know?",
              "I need [some |]ideas for {x}", "[bullet points|bullets] with {n} {x}", "examples of {x}[?|]", "write [some|{n}] {x} as a list", "a [bulleted|bullet|markdown] list with {x}", "[could|can|would] you name [some |{n} ]{x}?", "I would like a list of {x}", "please list {x}", "which kinds of {x} are there?", "show some {x} as a list", "write down {n} {x}", "tell me some {x}, as a list", "collect {n} {x}", "do you know {n} {x}?", "{x}: make a list", "I need a list of {x} for school", "what {x} are there?", "name a few {x}"]
_STEP_ASKS = ["how do I {x}?", "how to {x}[?|]", "how can I {x}?", "[list|give me|write|show me] the steps to {x}", "steps to {x}[?|]", "explain how to {x}", "[tell|teach|show] me how to {x}",
              "what are the steps to {x}?", "I want to {x}[, how does it work?|. how?|]", "how does one {x}?", "can you explain how to {x} step by step?", "instructions to {x}", "help me {x}", "write down how to {x}", "how should I {x}?", "how should one {x}?", "what do I need to do to {x}?", "I would like to {x}", "explain step by step how to {x}", "what is the best way to {x}?", "guide me: {x}", "please describe how to {x}", "can you tell me how to {x}?", "I have never tried to {x}, how does it go?", "what is the recipe to {x}?", "which steps do I follow to {x}?", "give me a guide to {x}"]


def things(scene):
    rng = scene.rng
    name, pool = rng.choice(list(THINGS.items()))
    count = rng.choice([3, 4, 5, 5, 6, 7])
    question = one_of(rng, _LIST_ASKS, x=name, n="{n}")
    if "{n}" not in question:
        count = 5
    question = question.replace("{n}", _NUMBERS[count] if rng.random() < 0.6 else str(count))
    ordered = name in ("planets", "days of the week", "seasons")
    if ordered:
        count = len(pool) if "{n}" not in question else count
    count = min(count, len(pool))
    # Always in the order of the table: a small model that picks at random repeats itself.
    items = pool[:count]
    body = "\n".join(f"- {capitalise(item)}" for item in items)
    lead = one_of(rng, [f"Here are some {name}:", f"Here are {_NUMBERS[count]} {name}:" if count in _NUMBERS else f"Here are some {name}:"])
    short = capitalise(", ".join(items[:3])) + "."
    turns = [Turn(question, Answer(f"{lead}\n\n{body}", short, items[0], "list"))]
    rest = [item for item in pool if item not in items]
    if len(rest) >= 3 and rng.random() < 0.2 and not ordered:
        more = "\n".join(f"- {capitalise(item)}" for item in rest[:3])
        again = one_of(rng, ["more[ please|]", "[give me |]three more", "some more[ please|]", "[what |]others?", "can you [list|name] [three |some |a few ]more?", "which others are there?", "three others[ please|]", "and some more?", "list [a few|three] more"])
        turns.append(Turn(again, Answer(f"Here are three more:\n\n{more}", capitalise(", ".join(rest[:3])) + ".", rest[0], "list")))
    return turns


def steps(scene):
    rng = scene.rng
    task, lines = rng.choice(list(STEPS.items()))
    body = "\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1))
    lead = one_of(rng, [f"Here is how to {task}:", "Follow these steps:", f"To {task}, do this:"])
    spoken = one_of(rng, _STEP_ASKS, x=task if rng.random() < 0.7 else task.replace("your", "my"))
    return [Turn(spoken, Answer(f"{lead}\n\n{body}", lines[0], "", "list"))]
