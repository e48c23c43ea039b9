"""Greetings, thanks, goodbyes, feelings, and remembering what the user said about themselves."""

from . import names
from .grammar import expand, one_of
from .scene import Answer, Turn

_GREETINGS = ["hi[!|.|]", "hello[!|.|]", "hey[!|]", "hi there[!|]", "hello there[!|]", "good [morning|evening|afternoon|day][!|]", "hey there[!|]",
              "hello, how are you?", "hi, how are you[ today|]?", "greetings[!|]", "howdy[!|]", "hiya[!|]", "yo[!|]", "hello again[!|]", "hi again[!|]",
              "hey, how is it going?", "what's up?", "hallo", "hello hello", "hi {n}[!|]", "hello {n}[!|]", "good morning {n}", "hey {n}[!|]", "is anybody there?",
              "nice to meet you[!|]", "hi, nice to meet you", "helo", "hi!!", "test", "hello?", "good [morning|evening|day] to you[!|]", "hello my [friend|dear]", "hi, good to see you[!|]", "hello, little [model|robot|friend]", "hello, are you there?", "hey, can we talk?",
              "nice to see you", "anyone there?", "hello, I am back", "hi, let's talk", "hello world", "hey you", "hello, what a nice day"]
_GREETING_ANSWERS = ["Hello! How can I help you[ today|]?", "Hi! What can I do for you?", "Hello! What would you like to talk about?",
                     "Hi there! How can I help?", "Hello! It is nice to hear from you. What can I do for you?"]
_MOODS = ["how are you[ doing| today|]?", "how are you feeling?", "how do you do?", "how's it going?", "how was your day?", "you ok?", "how have you been?", "how do you feel[ today|]?", "how are things[ with you|]?", "I hope you are [well|fine|good]", "are you fine?", "all good?", "how is life?", "are you happy?", "are you well?", "everything fine?"]
_MOOD_ANSWERS = ["I am doing well, thank you! How can I help you?", "I am fine, thanks for asking. What can I do for you?",
                 "Very well, thank you. And how are you?"]
_THANKS = ["thanks[!|]", "thank you[!|]", "thank you[ so| very|] much[!|]", "thanks a lot[!|]", "thx", "great, thanks[!|]", "ok thanks", "cheers[!|]", "perfect, thank you[!|]",
           "that was helpful[, thanks|]", "thanks for your help[!|]", "nice, thanks", "cool, thank you", "many thanks", "ty", "much appreciated", "that helps, thanks", "thanks, that [was|is] [very |]helpful", "thank you, you are [kind|great|so nice]", "wonderful, thanks", "you helped me[ a lot|], thanks", "thank you for the answer", "great work, thank you", "I thank you"]
_THANKS_ANSWERS = ["You are welcome!", "You're welcome! Is there anything else?", "My pleasure!", "Gladly! Let me know if you need anything else."]
_BYES = ["bye[!|]", "goodbye[!|]", "see you[ later| soon| tomorrow|][!|]", "good night[!|]", "bye bye[!|]", "I have to go[ now|]", "talk to you later[!|]", "that's all, bye",
         "take care[!|]", "farewell[!|]", "ok, bye[!|]", "I'm leaving now", "until next time[!|]", "cu", "thanks, bye[!|]", "I am off to bed", "gotta go", "that is all for today", "have a nice day[!|]", "I must leave[, bye|]", "goodbye for [now|today]", "bye, see you [soon|tomorrow|next time]", "sleep well[!|]", "we talk tomorrow", "this was all, goodbye", "ciao", "so long[!|]", "that's it for today, bye"]
_BYE_ANSWERS = ["Goodbye! Have a nice day.", "Goodbye! Come back any time.", "See you soon!", "Goodbye, and take care!"]
_PRAISE = ["well done[!|]", "good job[!|]", "great[!|]", "nice[!|]", "cool[!|]", "awesome[!|]", "you are [great|smart|funny|nice|so clever]", "I like you", "that's [great|nice|wonderful][!|]",
           "wow[!|]", "interesting", "good answer[!|]", "ok", "okay", "I see", "got it", "good", "yes", "right", "haha", "lol", "that is funny", "I love it"]
_PRAISE_ANSWERS = ["Thank you! What else would you like to know?", "I am glad to hear that! What shall we do next?", "Thanks! Ask me anything you like."]
_BLAME = ["that[ is|'s] wrong", "no", "you are wrong", "that is not right", "bad answer", "you made a mistake", "are you sure?", "I don't think so", "you are [stupid|dumb|useless]", "that makes no sense"]
_BLAME_ANSWERS = ["I am sorry. I am a small demonstration model and I make mistakes.", "Sorry about that! I am a small model, so please check what I say.",
                  "I may be wrong. Could you ask me in another way?"]
_FEELINGS = [
    ("I[ am|'m] [so |very |feeling |a bit |]sad[ today|]", "I feel [down|lonely|bad|blue]", "I am having a bad day", "I had a terrible day", "I am [worried|afraid|nervous]", "I miss my [friend|dog|family|cat]"),
    ("I[ am|'m] [so |very |feeling |]happy[ today|]", "I feel [great|wonderful|good]", "I am having a great day", "I [passed my exam|got a new job|won a prize]", "today is my birthday", "I am in a good mood"),
    ("I[ am|'m] [so |very |]tired", "I[ am|'m] [so |]bored", "I can't focus", "I am exhausted", "I have [so |too |]much work", "I am stressed"),
]
_FEELING_ANSWERS = [
    ["I am sorry to hear that. Would you like to talk about it, or shall I tell you a story?", "I am sorry that you feel this way. I hope it gets better soon."],
    ["That is wonderful! I am happy for you.", "How nice! I am glad to hear that."],
    ["Maybe a short break would help. Shall I tell you a story?", "Take a deep breath and a little rest. I am here if you need me."],
]
_JOKES = ["Why did the bicycle fall over? Because it was two tired.", "What do you call a bear with no teeth? A gummy bear.",
          "Why can't a leopard hide? Because it is always spotted.", "What is orange and sounds like a parrot? A carrot.",
          "Why did the scarecrow win a prize? Because he was outstanding in his field.", "What do you call cheese that is not yours? Nacho cheese.",
          "Why do bees have sticky hair? Because they use honeycombs.", "How does the ocean say hello? It waves.",
          "Why was the maths book sad? It had too many problems.", "What has hands but cannot clap? A clock."]
_JOKE_ASKS = ["tell me a joke", "[do you know|got] [a |any |]joke[s|]?", "make me laugh", "say something funny", "a joke please", "can you tell [me |]a joke?", "I need a [good |]laugh", "joke?", "cheer me up", "do you know [something|anything] funny?", "I want to laugh", "let me hear a joke", "can you be funny?", "one joke[ for me|], please", "please joke with me", "your best joke?", "give me a joke", "have you got a joke for me?"]


def _pick(scene, asks, answers, short, key=""):
    rng = scene.rng
    question = one_of(rng, asks, n=scene.assistant_name or "Quire")
    return [Turn(question, Answer(one_of(rng, answers), short, key, "chat"))]


def greeting(scene):
    turns = _pick(scene, _GREETINGS, _GREETING_ANSWERS, "Hello!")
    if scene.assistant_name and scene.rng.random() < 0.3:
        turns[0].answer.text = f"Hello! I am {scene.assistant_name}. How can I help you?"
    return turns


def mood(scene):
    return _pick(scene, _MOODS, _MOOD_ANSWERS, "I am fine, thank you.")


def thanks(scene):
    return _pick(scene, _THANKS, _THANKS_ANSWERS, "You are welcome.")


def goodbye(scene):
    return _pick(scene, _BYES, _BYE_ANSWERS, "Goodbye!")


def praise(scene):
    if scene.rng.random() < 0.35:
        return _pick(scene, _BLAME, _BLAME_ANSWERS, "Sorry about that.")
    return _pick(scene, _PRAISE, _PRAISE_ANSWERS, "Thank you!")


def feeling(scene):
    i = scene.rng.randrange(3)
    return _pick(scene, _FEELINGS[i], _FEELING_ANSWERS[i], ["I am sorry to hear that.", "How nice!", "Take a short break."][i])


def joke(scene):
    rng = scene.rng
    first, second = rng.sample(_JOKES, 2)
    turns = [Turn(one_of(rng, _JOKE_ASKS), Answer(first, first, "", "chat"))]
    if rng.random() < 0.4:
        again = one_of(rng, ["another one[ please|!|]", "[tell me |]one more[ please|]", "more", "another joke[ please|]", "again", "do you have another[ one|]?", "tell me another[ one|]", "haha, one more", "ha, another please", "can I hear another one?"])
        turns.append(Turn(again, Answer(second, second, "", "chat")))
    return turns


_TELL_NAME = ["my name is {u}", "I am {u}", "I'm {u}", "hi, I'm {u}", "hello, my name is {u}", "call me {u}", "you can call me {u}", "hey, {u} here",
              "hi! my name is {u}. what is yours?", "people call me {u}", "by the way, my name is {u}", "this is {u}", "I go by {u}", "my name's {u}", "please call me {u}", "it is {u} [here|speaking]", "{u} is my name", "I am called {u}", "my name is {u} and I [like|love] {x}", "I am {u} and I [am new here|like {x}|have a question]",
              "I am {u}, nice to meet you", "hello, {u} is the name", "you are talking to {u}", "my friends call me {u}", "I'm {u}. how are you?", "good morning, I am {u}", "the name is {u}"]
_ASK_NAME = ["what[ is|'s] my name?", "do you [know|remember] my name?", "who am I?", "what am I called?", "can you [say|tell me] my name?", "what was my name[ again|]?",
             "did you forget my name?", "tell me my name", "how am I called?", "say my name", "what did I say my name was?", "do you know who I am?", "and my name is?", "what is the name I told you?", "whom are you talking to?", "can you remember my name?", "what is the name of the person you talk to?", "which name do I have?",
             "what[ is|'s] my first name?", "[do you |]still know my name?", "you know my name, right?", "remind me, what is my name?", "what did I tell you my name is?", "how do I call myself?", "with whom are you chatting?"]
LIKES = """tea coffee music football chess swimming reading painting cats dogs horses pizza pasta chocolate apples gardening
cycling hiking dancing cooking films books trains boats stars rain snow summer winter puzzles robots maths history
photography sailing singing knitting baking cherries soup bread cheese astronomy birds tennis running""".split()


def _middle(scene):
    """A little talk between telling and asking, so that the model must look further back."""
    from . import topic_facts, sums
    makers = [topic_facts.capital, topic_facts.opposite, topic_facts.colour, sums.addition, thanks, joke, topic_facts.concept, mood, topic_facts.animal]
    turns = []
    for _ in range(scene.rng.choice([0, 0, 1, 1, 2, 3, 5])):
        turns += scene.rng.choice(makers)(scene)
    return turns


def user_name(scene):
    rng = scene.rng
    user = scene.user_name = names.person(rng)
    tell, ask = one_of(rng, _TELL_NAME, u=user, x=rng.choice(LIKES)), one_of(rng, _ASK_NAME)
    hello = one_of(rng, ["Nice to meet you, {u}!", "Hello, {u}! How can I help you?", "Hi {u}! What can I do for you?", "Nice to meet you, {u}. What would you like to talk about?"], u=user)
    if "yours" in tell:
        hello = f"Nice to meet you, {user}! I am {scene.assistant_name or 'Quire Mini'}."
    short = one_of(rng, ["Your name is {u}.", "You are {u}.", "Your name is {u}."], u=user)
    return [Turn(tell, Answer(hello, f"Hello, {user}!", user, "chat"), raw=rng.random() < 0.5)] + _middle(scene) + \
           [Turn(ask, Answer(short, short, user, "chat"))]


def user_unknown(scene):
    if scene.user_name:
        return thanks(scene)
    text = one_of(scene.rng, ["I don't know your name yet. What is it?", "You have not told me your name yet. What should I call you?"])
    return [Turn(one_of(scene.rng, _ASK_NAME), Answer(text, "I don't know your name yet.", "", "unknown"))]


def user_likes(scene):
    rng = scene.rng
    thing = rng.choice(LIKES)
    what, tell, ask = rng.choice([
        ("like", "I [like|love|really like] {x}", "what do I [like|love]?"), ("like", "my favourite thing is {x}", "what is my favourite thing?"),
        ("like", "I enjoy {x}[ a lot|]", "[do you remember |]what [do I enjoy|I enjoy]?"), ("like", "I am a fan of {x}", "what am I a fan of?")])
    hello = one_of(rng, ["That is nice! I like to hear about {x}.", "How nice that you like {x}!", "{X} is a good choice."], x=thing, X=thing.capitalize())
    line = f"You told me that you like {thing}."
    return [Turn(expand(rng, tell, x=thing), Answer(hello, "How nice!", thing, "chat"))] + _middle(scene) + \
           [Turn(expand(rng, ask), Answer(line, line, thing, "chat"))]


_PLACES = "Paris London Berlin Rome Tokyo Madrid Oslo Cairo Lima Seoul Vienna Prague Dublin Athens Lisbon Boston Chicago Toronto Sydney Hamburg Lyon Milan Porto Delhi Nairobi".split()


def user_home(scene):
    rng = scene.rng
    what = rng.choice(["place", "pet", "age"])
    if what == "place":
        x = rng.choice(_PLACES) if rng.random() < 0.6 else names.invented(rng)
        tell, ask, line = "I [live in|am from|come from] {x}", "where do I [live|come from]?", f"You told me that it is {x}."
    elif what == "pet":
        x = names.person(rng)
        pet = rng.choice(["dog", "cat", "horse", "parrot", "rabbit", "hamster"])
        tell, ask, line = f"my {pet} is called {{x}}|I have a {pet} named {{x}}", f"what[ is|'s] my {pet}[ called|'s name]?", f"Your {pet} is called {x}."
        tell = "[" + tell + "]"
    else:
        x = str(rng.randrange(6, 90))
        tell, ask, line = "I am {x} years old", "how old am I?", f"You are {x} years old."
    reply = one_of(rng, ["Thank you for telling me!", "I will remember that.", "Good to know!"])
    return [Turn(expand(rng, tell, x=x), Answer(reply, reply, x, "chat"))] + _middle(scene) + [Turn(expand(rng, ask), Answer(line, line, x, "chat"))]
