"""Simple facts, typed in by hand: one table a subject."""


def table(text):
    """'cat:kitten dog:puppy' -> {'cat': 'kitten', ...}; underscores are spaces."""
    pairs = (pair.replace("_", " ").split(":") for pair in text.split())
    return {key: value for key, value in pairs}


OPPOSITES = table("""hot:cold big:small fast:slow up:down left:right day:night black:white old:young new:old happy:sad
open:closed light:dark heavy:light rich:poor early:late high:low long:short hard:soft wet:dry full:empty strong:weak
loud:quiet near:far in:out on:off yes:no true:false first:last good:bad push:pull start:finish begin:end buy:sell
win:lose north:south east:west inside:outside above:below front:back clean:dirty thick:thin wide:narrow deep:shallow
sweet:sour rough:smooth sharp:blunt brave:afraid cheap:expensive easy:difficult always:never everything:nothing
arrive:leave give:take love:hate remember:forget laugh:cry awake:asleep alive:dead friend:enemy summer:winter
sunrise:sunset tall:short safe:dangerous noisy:quiet ancient:modern simple:complicated generous:stingy""")

PLURALS = table("""cat:cats dog:dogs mouse:mice child:children foot:feet tooth:teeth goose:geese man:men woman:women
person:people ox:oxen sheep:sheep fish:fish deer:deer leaf:leaves wolf:wolves knife:knives life:lives wife:wives
half:halves shelf:shelves loaf:loaves city:cities baby:babies berry:berries story:stories country:countries
lady:ladies box:boxes fox:foxes bus:buses glass:glasses dish:dishes church:churches watch:watches tomato:tomatoes
potato:potatoes hero:heroes book:books tree:trees bird:birds house:houses key:keys toy:toys boy:boys girl:girls
day:days cactus:cacti fairy:fairies cherry:cherries bench:benches brush:brushes piano:pianos photo:photos
thief:thieves calf:calves butterfly:butterflies party:parties""")

COLOURS = table("""sky:blue grass:green snow:white banana:yellow lemon:yellow tomato:red strawberry:red blood:red
coal:black orange:orange carrot:orange pumpkin:orange leaf:green frog:green milk:white chocolate:brown flamingo:pink
sunflower:yellow sea:blue night_sky:black elephant:grey mouse:grey raven:black crow:black polar_bear:white
pea:green lettuce:green cherry:red blueberry:blue plum:purple lavender:purple eggplant:purple canary:yellow
fire_engine:red cloud:white tree_trunk:brown gold:yellow silver:grey ruby:red emerald:green sapphire:blue
salt:white honey:golden cucumber:green ketchup:red""")

BABIES = table("""cat:kitten dog:puppy cow:calf sheep:lamb horse:foal pig:piglet hen:chick duck:duckling goose:gosling
bear:cub lion:cub wolf:cub fox:cub deer:fawn goat:kid frog:tadpole kangaroo:joey swan:cygnet owl:owlet
rabbit:kit whale:calf elephant:calf seal:pup bat:pup butterfly:caterpillar eagle:eaglet""")

SOUNDS = table("""cat:meow dog:woof cow:moo sheep:baa horse:neigh pig:oink duck:quack hen:cluck rooster:cock-a-doodle-doo
lion:roar frog:croak owl:hoot bee:buzz snake:hiss mouse:squeak wolf:howl crow:caw donkey:hee-haw goose:honk
turkey:gobble bird:tweet""")

LEGS = table("""cat:four dog:four horse:four cow:four spider:eight ant:six bee:six beetle:six butterfly:six bird:two
hen:two duck:two human:two person:two snake:no fish:no lizard:four crab:ten octopus:no sheep:four elephant:four
frog:four penguin:two fly:six scorpion:eight""")

HOMES = table("""bird:nest bee:hive dog:kennel horse:stable spider:web fox:den rabbit:burrow bear:cave lion:den
cow:barn pig:sty fish:water ant:anthill squirrel:tree mole:tunnel beaver:lodge owl:tree king:castle""")

UNITS = [
    ("minutes", "hour", "60"), ("seconds", "minute", "60"), ("hours", "day", "24"), ("days", "week", "7"),
    ("months", "year", "12"), ("days", "year", "365"), ("weeks", "year", "52"), ("years", "decade", "10"),
    ("years", "century", "100"), ("years", "millennium", "1000"), ("days", "leap year", "366"),
    ("centimetres", "metre", "100"), ("metres", "kilometre", "1000"), ("millimetres", "centimetre", "10"),
    ("millimetres", "metre", "1000"), ("grams", "kilogram", "1000"), ("kilograms", "tonne", "1000"),
    ("millilitres", "litre", "1000"), ("inches", "foot", "12"), ("feet", "yard", "3"), ("ounces", "pound", "16"),
    ("cents", "dollar", "100"), ("cents", "euro", "100"), ("pence", "pound sterling", "100"), ("bits", "byte", "8"),
    ("bytes", "kilobyte", "1024"), ("sides", "triangle", "3"), ("sides", "square", "4"), ("sides", "pentagon", "5"),
    ("sides", "hexagon", "6"), ("sides", "octagon", "8"), ("items", "dozen", "12"), ("degrees", "full circle", "360"),
    ("degrees", "right angle", "90"), ("letters", "English alphabet", "26"), ("colours", "rainbow", "7"),
    ("planets", "solar system", "8"), ("seasons", "year", "4"), ("players", "football team", "11"),
    ("strings", "guitar", "6"), ("strings", "violin", "4"), ("keys", "piano", "88"), ("cards", "deck", "52"),
    ("squares", "chessboard", "64"), ("wheels", "car", "4"), ("wheels", "bicycle", "2"), ("wheels", "tricycle", "3"),
    ("fingers", "hand", "5"), ("teeth", "adult mouth", "32"), ("bones", "adult body", "206"), ("quarters", "year", "4"),
]

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
MONTH_DAYS = dict(zip(MONTHS, "31 28 31 30 31 30 31 31 30 31 30 31".split()))
SEASONS = ["spring", "summer", "autumn", "winter"]
PLANETS = "Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()

LANGUAGES = table("""France:French Germany:German Italy:Italian Spain:Spanish Portugal:Portuguese Brazil:Portuguese
Mexico:Spanish Japan:Japanese China:Chinese Russia:Russian Greece:Greek Turkey:Turkish Poland:Polish Sweden:Swedish
Norway:Norwegian Denmark:Danish Finland:Finnish Hungary:Hungarian Argentina:Spanish Egypt:Arabic England:English
Australia:English Austria:German Vietnam:Vietnamese Thailand:Thai Iceland:Icelandic Ukraine:Ukrainian Cuba:Spanish
South_Korea:Korean Romania:Romanian Bulgaria:Bulgarian Chile:Spanish Peru:Spanish Mongolia:Mongolian""")

CONTINENTS = table("""France:Europe Germany:Europe Italy:Europe Spain:Europe Poland:Europe Sweden:Europe Greece:Europe
Norway:Europe Ireland:Europe Japan:Asia China:Asia India:Asia Thailand:Asia Vietnam:Asia Nepal:Asia Mongolia:Asia
Iran:Asia Iraq:Asia Indonesia:Asia Egypt:Africa Kenya:Africa Nigeria:Africa Ghana:Africa Morocco:Africa
Ethiopia:Africa Senegal:Africa Zambia:Africa Canada:North_America Mexico:North_America Cuba:North_America
United_States:North_America Jamaica:North_America Brazil:South_America Peru:South_America Chile:South_America
Argentina:South_America Colombia:South_America Bolivia:South_America Portugal:Europe Finland:Europe""")

CLASSES = table("""cat:mammal dog:mammal whale:mammal dolphin:mammal bat:mammal horse:mammal elephant:mammal
eagle:bird penguin:bird owl:bird parrot:bird hen:bird ostrich:bird shark:fish salmon:fish tuna:fish goldfish:fish
frog:amphibian toad:amphibian snake:reptile lizard:reptile turtle:reptile crocodile:reptile ant:insect bee:insect
butterfly:insect beetle:insect spider:arachnid apple:fruit banana:fruit cherry:fruit orange:fruit carrot:vegetable
potato:vegetable onion:vegetable broccoli:vegetable rose:flower tulip:flower daisy:flower oak:tree pine:tree
gold:metal iron:metal silver:metal violin:instrument piano:instrument flute:instrument drum:instrument""")
