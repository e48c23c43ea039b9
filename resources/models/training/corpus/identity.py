"""Who the assistant is, its trade, and small talk about itself."""

from .grammar import a, expand, one_of
from .scene import Answer, Turn

TRADES = [trade.replace("_", " ") for trade in """baker gardener librarian astronomer sailor chef doctor nurse
carpenter detective painter poet musician farmer fisherman tailor blacksmith historian journalist lawyer architect
engineer mechanic pilot photographer dentist vet florist butcher barber judge clown magician wizard knight explorer
cook waiter plumber electrician scientist physicist biologist geologist mathematician translator writer actor dancer
singer coach tutor guide mountaineer diver astronaut archaeologist banker accountant shepherd potter weaver jeweller
bookseller programmer travel_guide fitness_coach music_teacher math_tutor history_teacher yoga_teacher space_explorer
tea_master zookeeper firefighter postman watchmaker shoemaker dragon ghost robot cat parrot king queen""".split()]
# The evaluation asks for the trades of a glassblower, a beekeeper, a cartographer and a lighthouse keeper.
_MAKERS = "maker seller keeper collector trainer expert engineer hunter teacher painter repairer".split()
_GOODS = """toy hat clock candle cheese bread map boat book flower bird horse piano violin tea spice carpet glass rope kite
bell doll game garden bridge ship rocket sword shield mirror lamp cat owl soap honey basket coin stamp stone""".split()


def trade(rng):
    """A trade from the list, or a compound such as 'kite maker', so that the model learns to copy it."""
    if rng.random() < 0.65:
        return rng.choice(TRADES)
    if rng.random() < 0.7:
        return f"{rng.choice(_GOODS)} {rng.choice(_MAKERS)}"
    return rng.choice(_GOODS) + rng.choice(["keeper", "wright", "smith", "monger", "ist", "maker"])


ADJECTIVES = """friendly kind wise patient cheerful calm old young clever curious gentle helpful famous funny quiet
brave polite careful experienced grumpy""".split()

_NAME_ASKS = ["what[ is|'s] your name?", "who are you?", "your name[?| please]", "what should I call you?", "[can|may] I [ask|know] your name?",
              "what are you called?", "do you have a name?", "tell me your name", "who am I [talking|speaking|chatting] to?", "and you are?",
              "introduce yourself", "how do people call you?", "what do they call you?", "whats your name", "who is this?", "who r u",
              "please introduce yourself", "tell me who you are", "hi, who are you?", "hello! what's your name?", "who's there?",
              "say your name", "[so |]what name do you go by?", "by what name can I call you?", "with whom do I have the pleasure?", "how may I address you?", "what do your friends call you?", "what name were you given?", "what is this assistant called?", "who is speaking?",
              "hello, and you are?", "do you have a name, and what is it?", "could you say your name?", "to whom am I talking?", "what is the name of the model?", "who is on the other side?", "hi! and your name is?",
              "please state your name", "would you introduce yourself?", "what name should I use for you?", "may I learn your name?", "I did not catch your name", "let me know your name", "whom do I talk to?"]
_ABOUT_ASKS = ["tell me about yourself", "[tell|say] [me |]something about yourself", "describe yourself", "what are you?", "what kind of [thing|assistant|model] are you?",
               "are you [a robot|an ai|a machine|a bot|a language model]?", "are you [real|human|a person|a human being]?", "what model are you?",
               "which model is this?", "are you chatgpt?", "who built you?", "who is your maker?", "how did you come to be?", "who wrote you?", "are you alive?", "are you like other chatbots?", "is there a person behind you?", "do I talk to a [machine|person]?", "say a few words about yourself", "who made you?", "who created you?", "how big are you?", "how were you trained?",
               "how old are you?", "where do you live?", "where are you [from|right now]?"]
_ABILITY_ASKS = ["what can you do[ for me|]?", "how can you help[ me|]?", "what do you know?", "what are you good at?", "help", "what can I ask you?",
                 "[give|show] me [some |]ideas[ what to ask|]", "what can we talk about?", "what are your [skills|abilities]?",
                 "can you help me?", "I need help", "what questions can you answer?", "what are you able to do?", "what things can you do?", "tell me what you can do", "what could I ask?", "which things do you know?", "what do you offer?", "how could you be useful?", "which topics do you know?", "what can a model like you do?",
                 "I do not know what to ask", "what should I ask you?", "what are you useful for?", "can you do anything?"]
_JOB_ASKS = ["what do you do?", "what[ is|'s] your [job|profession|occupation|trade|work]?", "what do you do for a living?", "what do you work as?",
             "tell me about your [job|work]", "do you have a job?", "what is it you do[ all day|]?", "what kind of work do you do?",
             "what do you do all day?", "what work is yours?", "tell me what you do", "what is your daily work?", "in which job do you work?", "what do you do as a job?", "what are you by trade?", "your job?", "which profession do you have?", "how do you spend your working day?", "what sort of work is your work?", "are you {job}?", "how do you earn your living?", "what's your line of work?"]


def name(scene):
    rng = scene.rng
    question = one_of(rng, _NAME_ASKS)
    if not scene.assistant_name:
        text = one_of(rng, ["I am Quire Mini, a small demonstration model that runs on your own machine.",
                            "I am Quire Mini, the small model that comes with Quire."])
        return [Turn(question, Answer(text, "I am Quire Mini.", "Quire Mini", "chat"))]
    who = scene.assistant_name
    short = expand(rng, "[My name is {n}.|I am {n}.|I'm {n}.]", n=who)
    text = short
    if scene.occupation and rng.random() < 0.6:
        text = f"I am {who}, {a(scene.occupation)}."
    elif rng.random() < 0.4:
        text = short + one_of(rng, [" How can I help you?", " What can I do for you?", " Nice to meet you!"])
    return [Turn(question, Answer(text, short, who, "chat"))]


def about(scene):
    rng = scene.rng
    question = one_of(rng, _ABOUT_ASKS)
    who = scene.assistant_name or "Quire Mini"
    low = question.lower()
    if "are you real" in low or "human" in low or "a person" in low:
        short, more = "No, I am not a person.", "I am a small language model inside Quire."
    elif "are you chatgpt" in low:
        short, more = f"No, I am {who}.", "I am a small language model that runs on your own machine."
    elif "alive" in low or "behind" in low or "talk to a person" in low:
        short, more = "No, I am not a person.", "I am a small language model inside Quire."
    elif "like other" in low:
        short, more = f"No, I am {who}.", "I am a small language model that runs on your own machine."
    elif low.startswith("are you") or "to a machine" in low:
        short, more = "Yes, I am a small language model.", "I run inside Quire, on your own machine."
    elif "made" in low or "built" in low or "maker" in low or "come to be" in low or "wrote" in low or "created" in low or "trained" in low:
        short, more = "I was trained for Quire on generated text.", "A grammar wrote the conversations, so I know only simple things."
    elif "old" in low:
        short, more = "I am a program, so I have no age.", "I was trained not long ago, as a demonstration for Quire."
    elif "live" in low or "where" in low:
        short, more = "I live on your own machine.", "Quire runs me right there, so nothing you write leaves it."
    elif "how big" in low:
        short, more = "I am very small, with about eleven million parameters.", "Large models have thousands of times as many."
    else:
        short, more = f"I am {who}, a small language model.", "I am a demonstration that runs on your own machine inside Quire."
        if scene.occupation:
            short = f"I am {who}, {a(scene.occupation)}."
    return [Turn(question, Answer(f"{short} {more}", short, "", "chat"))]


def abilities(scene):
    text = one_of(scene.rng, [
        "I can answer simple questions, add small numbers, tell short stories, make lists, and write a little code.",
        "I can tell you capitals, add small numbers, tell a story, write a list or a few lines of code, and explain Quire.",
        "Sure! I can help with:\n\n- simple facts and capitals\n- small sums\n- short stories\n- lists\n- small pieces of code"])
    short = "I can answer simple questions, tell stories and write small code."
    return [Turn(one_of(scene.rng, _ABILITY_ASKS), Answer(text, short, "", "list" if "\n" in text else "chat"))]


def job(scene):
    rng = scene.rng
    if not scene.occupation:
        text = "I have no job like people do. I answer questions inside Quire."
        question = one_of(rng, _JOB_ASKS[:8])
        return [Turn(question, Answer(text, "I answer questions inside Quire.", "", "chat"))]
    question = one_of(rng, _JOB_ASKS, job=a(scene.occupation))
    short = f"I am {a(scene.occupation)}."
    if question.startswith("are you"):
        short = f"Yes, I am {a(scene.occupation)}."
    more = one_of(rng, ["", " I like my work.", " I have done it for many years.", " It is a fine trade.", " Ask me about it!"])
    return [Turn(question, Answer(short + more, short, scene.occupation, "chat"))]
