"""Small programs in fenced blocks."""

from .grammar import one_of
from .scene import Answer, Turn

_LANG_NAMES = {"python": "Python", "cpp": "C++", "javascript": "JavaScript", "bash": "Bash"}
_ALIASES = {"python": ["python", "Python", "py"], "cpp": ["c++", "C++", "cpp"], "javascript": ["javascript", "JavaScript", "js"], "bash": ["bash", "Bash", "a shell script", "shell"]}

# task: (question phrases, what it does, {language: program}); WORD and N are replaced.
TASKS = {
    "hello": (["[a |]hello world[ program|]", "a program that prints hello[ world|]", "[a |]\"hello world\"", "print hello world", "something that says hello to the world"], "prints a greeting", {
        "python": 'print("Hello, world!")',
        "cpp": '#include <iostream>\n\nint main() {\n    std::cout << "Hello, world!\\n";\n}',
        "javascript": 'console.log("Hello, world!");',
        "bash": 'echo "Hello, world!"'}),
    "loop": (["a loop [from 1 to N|that counts to N]", "a for loop to N", "[a program that counts|count] to N", "print the numbers from 1 to N", "a loop over the numbers 1 to N"], "counts from 1 to N", {
        "python": "for i in range(1, N + 1):\n    print(i)",
        "cpp": "#include <iostream>\n\nint main() {\n    for (int i = 1; i <= N; ++i) {\n        std::cout << i << '\\n';\n    }\n}",
        "javascript": "for (let i = 1; i <= N; i++) {\n    console.log(i);\n}",
        "bash": "for i in $(seq 1 N); do\n    echo \"$i\"\ndone"}),
    "add": (["a function that adds two numbers", "an add function", "a function to add two numbers", "a function add", "a function which sums two values", "a function for addition"], "adds two numbers", {
        "python": "def add(a, b):\n    return a + b\n\nprint(add(2, 3))",
        "cpp": "int add(int a, int b) {\n    return a + b;\n}",
        "javascript": "function add(a, b) {\n    return a + b;\n}\n\nconsole.log(add(2, 3));",
        "bash": "add() {\n    echo $(($1 + $2))\n}\n\nadd 2 3"}),
    "multiply": (["a function that multiplies two numbers", "a multiply function", "a function to multiply two numbers", "a function for multiplication"], "multiplies two numbers", {
        "python": "def multiply(a, b):\n    return a * b", "cpp": "int multiply(int a, int b) {\n    return a * b;\n}",
        "javascript": "function multiply(a, b) {\n    return a * b;\n}", "bash": "multiply() {\n    echo $(($1 * $2))\n}"}),
    "square": (["a function that squares a number", "a square function", "a function for the square of a number"], "squares a number", {
        "python": "def square(x):\n    return x * x", "cpp": "int square(int x) {\n    return x * x;\n}",
        "javascript": "function square(x) {\n    return x * x;\n}", "bash": "square() {\n    echo $(($1 * $1))\n}"}),
    "maximum": (["a function that returns the [larger|bigger] of two numbers", "a max function", "a function for the maximum of two numbers"], "returns the larger number", {
        "python": "def maximum(a, b):\n    return a if a > b else b", "cpp": "int maximum(int a, int b) {\n    return a > b ? a : b;\n}",
        "javascript": "function maximum(a, b) {\n    return a > b ? a : b;\n}", "bash": "maximum() {\n    if [ \"$1\" -gt \"$2\" ]; then echo \"$1\"; else echo \"$2\"; fi\n}"}),
    "even": (["a function that checks if a number is even", "an is_even function", "code that tests whether a number is even"], "checks if a number is even", {
        "python": "def is_even(n):\n    return n % 2 == 0", "cpp": "bool is_even(int n) {\n    return n % 2 == 0;\n}",
        "javascript": "function isEven(n) {\n    return n % 2 === 0;\n}", "bash": "is_even() {\n    [ $(($1 % 2)) -eq 0 ]\n}"}),
    "reverse": (["a function that reverses a string", "code to reverse a string", "a function to reverse a word"], "reverses a string", {
        "python": "def reverse(text):\n    return text[::-1]", "cpp": "#include <string>\n\nstd::string reverse(std::string text) {\n    return {text.rbegin(), text.rend()};\n}",
        "javascript": "function reverse(text) {\n    return text.split(\"\").reverse().join(\"\");\n}", "bash": "reverse() {\n    echo \"$1\" | rev\n}"}),
    "factorial": (["a factorial function", "a function for the factorial", "code that computes the factorial of a number"], "computes a factorial", {
        "python": "def factorial(n):\n    return 1 if n < 2 else n * factorial(n - 1)", "cpp": "int factorial(int n) {\n    return n < 2 ? 1 : n * factorial(n - 1);\n}",
        "javascript": "function factorial(n) {\n    return n < 2 ? 1 : n * factorial(n - 1);\n}", "bash": "factorial() {\n    result=1\n    for i in $(seq 2 $1); do result=$((result * i)); done\n    echo $result\n}"}),
    "list": (["a list of [fruits|three words]", "code with a list", "an array of fruits", "a loop over a list"], "prints every item of a list", {
        "python": "fruits = [\"apple\", \"banana\", \"cherry\"]\nfor fruit in fruits:\n    print(fruit)",
        "cpp": "#include <iostream>\n#include <vector>\n\nint main() {\n    std::vector<const char*> fruits{\"apple\", \"banana\", \"cherry\"};\n    for (auto fruit : fruits) {\n        std::cout << fruit << '\\n';\n    }\n}",
        "javascript": "const fruits = [\"apple\", \"banana\", \"cherry\"];\nfor (const fruit of fruits) {\n    console.log(fruit);\n}",
        "bash": "for fruit in apple banana cherry; do\n    echo \"$fruit\"\ndone"}),
    "if": (["an if statement", "an example of if and else", "a condition with if", "an if else"], "chooses with if and else", {
        "python": "x = 7\nif x > 5:\n    print(\"large\")\nelse:\n    print(\"small\")",
        "cpp": "#include <iostream>\n\nint main() {\n    int x = 7;\n    if (x > 5) {\n        std::cout << \"large\\n\";\n    } else {\n        std::cout << \"small\\n\";\n    }\n}",
        "javascript": "const x = 7;\nif (x > 5) {\n    console.log(\"large\");\n} else {\n    console.log(\"small\");\n}",
        "bash": "x=7\nif [ $x -gt 5 ]; then\n    echo \"large\"\nelse\n    echo \"small\"\nfi"}),
    "while": (["a while loop", "an example of a while loop"], "counts down with while", {
        "python": "n = 3\nwhile n > 0:\n    print(n)\n    n -= 1", "cpp": "#include <iostream>\n\nint main() {\n    int n = 3;\n    while (n > 0) {\n        std::cout << n << '\\n';\n        --n;\n    }\n}",
        "javascript": "let n = 3;\nwhile (n > 0) {\n    console.log(n);\n    n--;\n}", "bash": "n=3\nwhile [ $n -gt 0 ]; do\n    echo $n\n    n=$((n - 1))\ndone"}),
    "class": (["a class", "an example of a class", "a small class for a dog", "a Dog class"], "defines a class", {
        "python": "class Dog:\n    def __init__(self, name):\n        self.name = name\n\n    def bark(self):\n        print(self.name + \" says woof\")",
        "cpp": "#include <string>\n\nclass Dog {\npublic:\n    explicit Dog(std::string name) : m_name(name) {}\n    std::string bark() const { return m_name + \" says woof\"; }\n\nprivate:\n    std::string m_name;\n};",
        "javascript": "class Dog {\n    constructor(name) {\n        this.name = name;\n    }\n\n    bark() {\n        console.log(this.name + \" says woof\");\n    }\n}",
        "bash": "# Bash has no classes; use a function.\nbark() {\n    echo \"$1 says woof\"\n}"}),
    "greet": (["a function that greets a person", "a greet function", "a function that says hello to a name"], "greets a person", {
        "python": "def greet(name):\n    print(f\"Hello, {name}!\")", "cpp": "#include <iostream>\n#include <string>\n\nvoid greet(const std::string& name) {\n    std::cout << \"Hello, \" << name << \"!\\n\";\n}",
        "javascript": "function greet(name) {\n    console.log(`Hello, ${name}!`);\n}", "bash": "greet() {\n    echo \"Hello, $1!\"\n}"}),
    "read": (["code that reads a file", "how to read a file", "a program that prints a file"], "reads a file", {
        "python": "with open(\"notes.txt\") as file:\n    print(file.read())", "cpp": "#include <fstream>\n#include <iostream>\n\nint main() {\n    std::ifstream file(\"notes.txt\");\n    std::cout << file.rdbuf();\n}",
        "javascript": "const fs = require(\"fs\");\nconsole.log(fs.readFileSync(\"notes.txt\", \"utf8\"));", "bash": "cat notes.txt"}),
}
_ASKS = ["[write|show me|give me|can you write|I need|please write|could you write|make] {t} in {l}", "{t} in {l}[ please|?|]", "how do I write {t} in {l}?", "[write|give me|show] {l} code for {t}",
         "[in|using|with] {l}, [write|show me] {t}", "what does {t} look like in {l}?", "{l}: {t}", "I would like {t} in {l}", "do you know how to write {t} in {l}?", "how would I write {t} in {l}?", "I want {t} in {l}", "how can I [do|make|have] {t} in {l}?", "a {l} example: {t}", "{l} example of {t}", "{t} with {l}", "{t}, but in {l}", "{l} {t}[ please|]", "show {t} using {l}", "let me see {t} in {l}", "how does one write {t} in {l}?"]
_BARE = ["[write|show me|give me|can you write|I need|please write] {t}", "{t}[ please|]", "how do I [write|code] {t}?", "code for {t}"]


def _answer(rng, task, lang, count):
    does, programs = TASKS[task][1].replace("N", count), TASKS[task][2]
    body = programs[lang].replace("N + 1", str(int(count) + 1))
    body = body.replace(" N)", f" {count})").replace("<= N", f"<= {count}") if task == "loop" else body
    fence = f"```{lang}\n{body}\n```"
    name = _LANG_NAMES[lang]
    lead = one_of(rng, [f"Here is {name} code that {does}:", f"This {name} code {does}:", f"Here it is in {name}:"])
    return Answer(f"{lead}\n\n{fence}", fence, body.split("\n")[0], "code")


def code(scene):
    rng = scene.rng
    task = "hello" if rng.random() < 0.2 else rng.choice(list(TASKS))
    count = str(rng.choice([3, 5, 8, 10, 12, 20, 50, 100]))
    bare = rng.random() < 0.15
    lang = "python" if bare or rng.random() < 0.3 else rng.choice(list(_LANG_NAMES))
    phrase = one_of(rng, TASKS[task][0]).replace("N", count)
    question = one_of(rng, _BARE if bare else _ASKS, t=phrase, l=rng.choice(_ALIASES[lang]))
    turns = [Turn(question, _answer(rng, task, lang, count))]
    while rng.random() < 0.3:
        lang = rng.choice([other for other in _LANG_NAMES if other != lang])
        again = one_of(rng, ["[and |now |]in {l}[?| please|]", "[and |]how about {l}?", "the same in {l}[ please|]", "can you do it in {l}?", "what about {l}?", "now {l}[ please|]", "how would [it|that] look in {l}?", "[show|write] it in {l}", "and the same in {l}?", "I need it in {l}", "translate it to {l}", "now the {l} version"],
                       l=rng.choice(_ALIASES[lang]))
        turns.append(Turn(again, _answer(rng, task, lang, count)))
    return turns
