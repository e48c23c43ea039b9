"""Questions on Quire itself: (question patterns, short answer, longer answer)."""

from .grammar import one_of
from .scene import Answer, Turn

_HELP = [
    (["what is quire", "what is this [program|app|application|window]", "tell me about quire", "what does quire do", "what can quire do",
      "explain quire", "what kind of [app|program] is quire", "what is quire for", "what am I using [here|]", "what is [this|the] [quire thing|quire app|quire program]", "describe quire", "say what quire is", "what is the idea of quire", "what is quire about", "why should I use quire"],
     "Quire is a desktop chat application for language models on your own machine.",
     "Many chats share one engine, which batches them together and keeps what it has already computed."),
    (["why is it called quire", "what does the name quire mean", "where does the name quire come from"],
     "A quire is a gathering of pages, and an old spelling of choir.", "Both fit: Quire keeps memory in pages and lets many chats speak at once."),
    (["what is a paged kv cache", "what is the kv cache", "explain the [paged |]kv cache", "how does the paged kv cache work", "what is paged attention", "what does paged kv cache mean", "what is the paged cache", "why is the kv cache paged", "what are kv cache blocks", "how does the cache [for keys and values |]work", "what is the cache of keys and values"],
     "A paged KV cache keeps attention keys and values in fixed-size blocks.",
     "Blocks of 16 tokens are handed out as a chat grows, and chats that begin the same way share them."),
    (["what is continuous batching", "explain continuous batching", "how does continuous batching work", "what is batching", "what does batching mean", "why is continuous batching [good|important]", "what is continuous batching good for", "how are chats batched", "how does quire batch chats"],
     "Continuous batching makes a new batch at every step.",
     "Chats join and leave between two tokens, so nobody waits for the slowest answer."),
    (["what is prefix caching", "what does prefix cache mean", "why is the second answer faster", "what is a shared prefix"],
     "Prefix caching reuses what was computed for the same beginning.",
     "The next turn, a fork, or another chat with the same system prompt computes only the new tokens."),
    (["what is a token", "what are tokens", "explain tokens", "what does token mean", "what is a token in a language model", "how long is a token"], "A token is a small piece of text.",
     "A model reads and writes tokens; a common word is one token, and a rare word is several."),
    (["what is a context window", "what is the context length", "how long can a chat be"], "The context is how much text a model can look back on.",
     "My own context is small, so very long chats do not fit. Bigger models have more."),
    (["what is temperature", "what does the temperature [setting |]do", "explain temperature", "what does temperature mean", "what happens with a high temperature", "which temperature should I use", "what does temperature change"], "Temperature sets how freely a model chooses words.",
     "At 0 it always takes the most likely token; higher values give more varied answers."),
    (["what is speculative decoding", "explain speculative decoding", "what is a draft model", "what does the draft model do", "why is there a draft model", "what is the small draft model for", "how does the draft model help"],
     "Speculative decoding lets a small draft model guess and the large one check.",
     "Several guessed tokens are verified in one step, so answers come faster and stay the same."),
    (["where are my chats stored", "where [do you|does quire] [store|save|keep] [my |]chats", "where are [my |]conversations [saved|stored|kept]",
      "are my chats saved", "how are chats stored", "where is my data [stored|]", "where does my history live", "in which [place|file|database] are my chats [saved|kept|stored]", "where can I find my chats", "where do my [messages|conversations|chats] go", "what happens to my chats", "does quire keep my chats", "how does quire save my conversations", "where on my disk are the chats"],
     "Your chats are stored in a SQLite database on this machine.", "Every message is written before the answer starts, so nothing is lost."),
    (["do you send [my |]data anywhere", "does quire send [my |]data [anywhere|to the internet|to a server]", "is my data private", "is this private",
      "are you sending my messages to [the cloud|someone]", "does quire [spy on me|collect data|phone home]", "who can read my chats", "do you need [the |]internet",
      "does quire work offline", "is this local", "does [anything|something] leave my [machine|computer]", "are my [messages|chats|conversations] private", "is what I write sent [anywhere|over the internet]", "do you upload [anything|my messages]", "does quire upload something", "can somebody read this", "do I need an internet connection", "can I use quire offline", "does it run without internet", "is anything sent to a [server|company]", "do you share my data"],
     "No, nothing leaves this machine.", "The model runs on your own computer, and your chats stay in a local database. Quire works offline."),
    (["how do I load my own model", "how can I [use|load|add|open] [another|my own|a different|a bigger] model", "can I use [another|a bigger|my own] model",
      "how do I open a gguf file", "which model [files|formats] [can I load|work|are supported]", "how do I change the model", "how to load a model", "how do I use [my own model|a gguf file|a hugging face model]", "I have my own model, how do I use it", "I [have|downloaded] a [gguf|bigger] model, what now", "what kinds of models can I use", "which files can quire open", "what models work with quire", "where do I load a model", "how do I open a [bigger|better|different] model"],
     "Open the models page and choose a GGUF file or a Hugging Face folder.", "Quire loads both as they are, and it says exactly why if a file cannot be loaded."),
    (["what is a gguf file", "what is gguf"], "GGUF is a file format that holds a whole language model in one file.", "Quire can load it directly from the models page."),
    (["what is a persona", "what are personas", "how do personas work", "explain personas", "how do I [make|create] a persona", "what does persona mean", "what is a persona good for", "why would I use a persona", "what can I do with a persona"],
     "A persona is a named system prompt with its settings.", "You can share it between chats, and it decides how the model speaks."),
    (["what is a system prompt", "what does the system prompt do", "explain system prompts"], "A system prompt tells the model how to behave.",
     "It comes before the first message of a chat; a persona holds one."),
    (["what is a fork", "how do I fork a chat", "what does fork do", "explain forks", "can I branch a chat", "what is forking", "what does it mean to fork a chat", "what happens if I fork", "why would I fork a chat", "when do I use a fork"],
     "A fork is a new chat that begins at a message of another chat.", "Both chats keep their own way from there, and what they share is not computed again."),
    (["how do I stop an answer", "how can I stop you", "how do I [cancel|interrupt] [an answer|a reply|generation]", "can I stop the answer", "how do I make you stop", "which [key|button] stops you", "what do I press to stop [you|the answer]", "how can I interrupt an answer", "stop answering, how", "the answer is too long, how do I stop it"],
     "Press the stop button or the Escape key.", "The text written so far is kept."),
    (["how do I send a message", "what does enter do", "how do I make a new line", "what is the shortcut for a new line", "which shortcuts are there",
      "what are the [keyboard |]shortcuts", "what does shift enter do", "how do I add a line break", "which key sends a message", "which key makes a new line", "how can I write several lines", "how do I start a new line in a message", "how is a message sent", "what do I press to send", "which keys can I use"],
     "Enter sends the message, and Shift+Enter makes a new line.", "Escape stops an answer."),
    (["what license does quire have", "what is the license of quire", "is quire free", "is quire open source", "how is quire licensed", "what license are you under", "which license [do you have|is it]", "under what license is quire", "under which license are you", "what is your license", "may I use quire for free", "does quire cost [money|anything]"],
     "Quire is free software, and I am licensed under Apache-2.0.", "The files of my training are included as well."),
    (["can I regenerate an answer", "how do I get another answer", "how do I regenerate", "can I ask again"], "Yes, use the regenerate button below an answer.",
     "Only the new answer is computed; the rest of the chat is reused."),
    (["what is ask n", "can I get several answers at once", "how do I get many answers to one question"], "Ask N sends one message and gives N answers side by side.",
     "They are computed in parallel from one shared beginning."),
    (["do I need a gpu", "does quire need a graphics card", "can quire run without a gpu", "what hardware do I need", "do I need a graphics card", "does it run on a cpu", "do I have to buy a gpu", "is a gpu needed", "will it run on my laptop"], "No, Quire also runs on the CPU.",
     "With an NVIDIA card it is much faster, but nothing else is needed."),
    (["how many chats can I open", "can I run several chats at once", "can I have many chats"], "You can run many chats at once.",
     "They share one engine, and sixteen together are much faster than one after the other."),
    (["what is a pane", "how do I see two chats side by side"], "A pane is a chat's place in the window.", "Open several panes to see chats side by side."),
    (["does quire have an api", "is there a server", "can other programs use quire"], "Yes, Quire has a local server with an OpenAI-compatible interface.",
     "You switch it on in the settings."),
    (["what does ttft mean", "what is time to first token"], "TTFT is the time to the first token.", "It tells how long you wait before an answer starts."),
    (["how do I delete a chat", "can I delete my chats", "how do I remove a conversation"], "Open the menu of the chat in the sidebar and choose delete.", "It is removed from the database on this machine."),
    (["how do I search my chats", "can I search old chats", "is there a search"], "Use the search field at the top of the sidebar.", "It looks through all your messages."),
    (["is there a dark [theme|mode]", "how do I switch to dark mode", "can I change the theme"], "Yes, Quire has a light and a dark theme.", "You choose it in the settings."),
]

_FRAMES = ["{q}?", "{q}?", "{q}?", "{q}?", "{q}", "can you tell me {q}?", "{q} [in quire|here]?", "[one|a] question: {q}?", "I'd like to know: {q}?",
           "sorry, {q}?", "I am new here. {q}?", "I have a question about quire: {q}?", "{q}? [thanks|thank you]", "I want to know {q}", "please explain: {q}?", "could you tell me {q}?", "how about this: {q}?", "{q}, exactly?", "{q} in simple words?", "{q}? I am curious", "I do not understand {q}"]


def quire(scene):
    rng = scene.rng
    asks, short, more = rng.choice(_HELP) if rng.random() > 0.12 else _HELP[0]
    question = one_of(rng, _FRAMES, q=one_of(rng, asks))
    if rng.random() < 0.6:
        question = question.replace("quire", "Quire").replace("gguf", "GGUF").replace("gpu", "GPU")
    text = f"{short} {more}" if rng.random() < 0.85 else short
    text = text.replace("SQLite database", "**SQLite** database") if rng.random() < 0.3 else text
    return [Turn(question, Answer(text, short, ""))]
