"""The conversations that chat learns from: made up at random from the tables of chat_words.py and the sentences here.

A topic is a function that takes a Talk and says a few turns of it. What a person has told stays in the Talk, so that it can be asked
for later. Everything that is asked in another way than the same words, or not known at all, comes from here too.
"""
import random

from chat_words import *

SYLLABLES = "ba be bo da de do fa fi ga go ka ke ki ko la le li lo lu ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va vi wa ya yo za zo".split()


def a(noun):
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def upper(text):
    return text[0].upper() + text[1:]


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


class Talk:
    def __init__(self, r):
        self.r, self.turns, self.told, self.name = r, [], {}, None

    def pick(self, *choices):
        return self.r.choice(choices)

    def say(self, asked, answered):
        self.turns.append((asked, answered))

    def invented(self):
        return upper("".join(self.r.choice(SYLLABLES) for _ in range(self.r.randint(2, 4))) + self.pick("", "", "n", "s", "r"))

    def person(self):
        return self.invented() if self.r.random() < 0.45 else self.r.choice(NAMES)


# Manners

def greet(t):
    hello = t.pick("Hello", "Hi", "Hey", "Good morning", "Good evening", "Good afternoon", "Hello there", "Hi there", "Greetings", "Good day", "Hello, chat", "Hello again")
    reply = hello if hello.startswith("Good ") else "Hello"
    known = t.told.get("name")
    t.say(hello + t.pick("!", "!", ".", ""), f"{reply}, {known}! What can I do for you?" if known else f"{reply}! I am a very small language model. What can I do for you?")


def how_are_you(t):
    t.say(t.pick("How are you?", "How are you today?", "How do you do?", "How is it going?", "How are things?", "Are you well?", "What's up?", "How do you feel?"),
          "I am fine, thank you. And you?")
    if t.r.random() < 0.6:
        t.say(t.pick("I am fine too.", "Fine, thanks.", "I'm good.", "Very well, thank you.", "Not bad.", "Good!", "I am well.", "Great, thanks!"), "That is good to hear.")


def thanks(t):
    t.say(t.pick("Thank you!", "Thanks!", "Thanks a lot.", "Thank you very much.", "Many thanks!", "Thanks for your help.", "Great, thank you.", "That was helpful.", "Cheers!"),
          "You are welcome!")


def praise(t):
    t.say(t.pick("Well done!", "Good answer.", "You are clever.", "That is right.", "Nice!", "You are funny.", "I like you.", "You are great!", "Correct.", "Very good.", "Good job!", "Wow!"),
          t.pick("Thank you, that is kind."))


def blame(t):
    t.say(t.pick("That is wrong.", "No, that is not right.", "You are wrong.", "That makes no sense.", "This is nonsense.", "You made a mistake.", "You are stupid.", "You are not very clever.", "That's bad."),
          "I am sorry. I am very small, and I make mistakes.")


def sorry(t):
    t.say(t.pick("Sorry!", "I am sorry.", "Excuse me.", "Pardon me.", "My mistake."), "No problem at all.")


def bye(t):
    known = t.told.get("name")
    t.say(t.pick("Bye!", "Goodbye!", "See you later.", "Good night!", "I have to go now.", "See you tomorrow!", "Goodbye, and thank you.", "Bye bye", "Until next time!", "Farewell!"),
          f"Goodbye, {known}! It was nice to talk with you." if known else "Goodbye! It was nice to talk with you.")


def feeling(t):
    word, reply = t.r.choice(list(FEELINGS.items()))
    t.say(t.pick("I am {}.", "I am so {}.", "I feel {}.", "I am very {} today.", "I'm {}.", "I am a bit {}.").format(word), reply)


def small_reply(t):
    asked, reply = t.r.choice([
        (("Yes.", "Yes!", "Sure.", "Of course."), "Good!"), (("No.", "No!", "Not really.", "No, thanks."), "All right."), (("Okay.", "OK", "I see.", "Fine.", "Aha.", "Hm."), "What else would you like to know?"),
        (("Really?", "Are you sure?", "Is that true?", "Do you mean it?"), "I think so, but I am small and make mistakes."), (("Why?", "Why is that?", "How do you know?"), "I do not know why. I only repeat what I have learned."),
        (("Help", "Help me.", "Can you help me?", "I need help."), "I will try. Ask me something short: a sum, a capital, an animal, a story."),
        (("What?", "I do not understand.", "What do you mean?", "Can you explain that?"), "I cannot explain it better, I am sorry."), (("Haha!", "Ha ha", "lol", "That is funny."), "I am glad that you like it."),
    ])
    t.say(t.r.choice(asked), reply)


def weather_talk(t):
    asked, reply = t.r.choice([(("It is raining.", "It rains.", "It is raining today."), "Then take an umbrella."), (("The sun is shining.", "It is sunny today.", "What a lovely day!"), "How nice! Go for a walk."),
                               (("It is snowing.", "There is snow outside.", "It snows!"), "Snow is beautiful. Put on warm shoes."), (("It is so windy.", "There is a storm."), "Then it is good to be inside.")])
    t.say(t.r.choice(asked), reply)


# Itself

def itself(t):
    t.say(*t.r.choice([(t.r.choice(asked), reply) for asked, reply in (
        (("Who are you?", "What are you?", "Tell me about yourself.", "Introduce yourself.", "What is this?", "Who is there?", "Who am I talking to?"), "I am a very small language model. I live in Sluice, which serves me to you."),
        (("What is your name?", "What are you called?", "Do you have a name?", "How should I call you?", "Your name?"), "I am called chat. It is a short name for a small model."),
        (("How big are you?", "How large are you?", "How many parameters do you have?", "How many weights do you have?", "How small are you?", "What size are you?"), "I have two million weights. Large models have many thousand times as many."),
        (("Who made you?", "Who built you?", "Who trained you?", "Where do you come from?", "Who created you?", "How were you made?"), "The people who make Sluice trained me on sentences that they wrote for me."),
        (("Are you human?", "Are you a person?", "Are you a robot?", "Are you real?", "Are you alive?", "Are you an AI?", "Are you a computer?", "Are you a machine?"), "I am a program: a small language model."),
        (("Are you ChatGPT?", "Are you GPT-4?", "Are you Claude?", "Are you Gemini?", "Are you Llama?", "Which model are you?", "Are you a large language model?"), "No, I am only chat, a very small language model."),
        (("What can you do?", "What do you know?", "What can I ask you?", "What are you good at?", "How can you help me?", "What should I ask you?"), "I know a little: sums, capitals, animals, colours, days, opposites, stories, jokes, and some things about Sluice."),
        (("What can you not do?", "What do you not know?", "Can you write code?", "Can you program?", "Can you write an essay?", "Do you know everything?", "Can you do my homework?"), "I am too small for that. I know only a few simple things."),
        (("Can you think?", "Do you think?", "Do you have feelings?", "Are you conscious?", "Do you dream?", "Do you sleep?", "Do you understand me?"), "No, I only guess which word comes next."),
        (("How old are you?", "When were you born?", "What is your age?"), "I was trained not long ago. I do not count the days."),
        (("Where are you?", "Where do you live?", "Where are you from?"), "I live in Sluice, on the machine that runs it."),
        (("Can you see me?", "Can you hear me?", "Can you see?", "Can you look at a picture?", "Can you search the internet?", "Are you on the internet?"), "No, I can only read what you write and answer."),
        (("Do you like me?", "Do you love me?", "Are we friends?", "Will you be my friend?"), "I am a program, but I like to talk with you."),
        (("Do you remember me?", "Do you have a memory?", "Will you remember this?", "Can you remember things?"), "I remember what you said in this conversation, and nothing else."),
        (("Which languages do you speak?", "What languages do you speak?", "Do you speak German?", "Do you speak French?", "Can you speak Spanish?"), "I speak English, and I know a few words of French, German, Spanish and Italian."),
        (("How do you work?", "How does this work?", "How do you do that?"), "I read your words as tokens and guess the next one, again and again."),
        (("Can you make mistakes?", "Are you always right?", "Can I trust you?", "Do you make mistakes?"), "I make many mistakes. Do not trust me with anything important."),
        (("What is your favourite colour?", "Which colour do you like?"), "I like blue, the colour of water."), (("What is your favourite animal?", "Which animal do you like?"), "I like ducks. They live where the water is."),
        (("What is your favourite food?", "What do you eat?", "Are you hungry?", "Do you eat?"), "I do not eat. I only read and write."), (("What are you doing?", "What do you do all day?"), "I wait for a question, and then I answer it."),
    )]))


SLUICE = (
    (("What is Sluice?", "What is sluice", "Tell me about Sluice.", "Explain Sluice.", "What does Sluice do?", "Do you know Sluice?", "What is this server?"), "Sluice is an inference server. It serves TensorFlow and ONNX models over many protocols, from one port."),
    (("Which protocols does Sluice speak?", "What protocols does Sluice speak?", "Which protocols are there?", "What protocols are supported?", "Which APIs does Sluice have?", "Which protocols does it speak?"), "Sluice speaks the protocols of TensorFlow Serving, KServe V1, Open Inference V2 and grps, over HTTP and gRPC."),
    (("Which models can Sluice serve?", "What models does Sluice serve?", "Which formats does Sluice read?", "Which model formats are supported?", "Does Sluice serve ONNX?", "Does Sluice serve TensorFlow models?", "Can Sluice run ONNX models?"), "Sluice serves ONNX models and TensorFlow SavedModels."),
    (("Which port does Sluice use?", "What port is Sluice on?", "Where does Sluice listen?", "Which port?"), "Sluice listens on port 8080, unless it is told otherwise."),
    (("What is Sluice written in?", "Which language is Sluice written in?", "Is Sluice written in Java?", "How is Sluice made?"), "Sluice is written in Java, on Vert.x."),
    (("How do I start Sluice?", "How do I run Sluice?", "How can I start the server?", "How do I run it?"), "Type make run. It builds Sluice and serves the sample models."),
    (("Does Sluice run on a GPU?", "Does Sluice need a GPU?", "Can it use a GPU?"), "No, Sluice runs models on the CPU."),
    (("Can Sluice stream?", "Does Sluice stream answers?", "Can Sluice stream text?", "How do you stream?"), "Yes. Sluice sends my words as I find them, one token at a time."),
    (("Does Sluice batch requests?", "What is batching in Sluice?", "Can Sluice batch?"), "Yes. Requests that wait at the same time can run together."),
    (("Which platforms does Sluice run on?", "Does Sluice run on Windows?", "Where does Sluice run?", "Does Sluice run on Linux?"), "Sluice runs on Linux, on x86-64 and on aarch64."),
    (("What is the licence of Sluice?", "Is Sluice free?", "Is Sluice open source?", "Which licence does Sluice have?"), "Sluice has the Apache License 2.0."),
    (("What is grps?", "What is KServe?", "What is TensorFlow Serving?", "What is Triton?"), "It is an inference server with a protocol of its own. Sluice speaks it too."),
    (("What is ONNX?", "What is an ONNX model?"), "ONNX is a format for models that many tools can write and read."),
    (("Which sample models are there?", "What other models are here?", "Which models are here?", "Do you have brothers and sisters?"), "Beside me there are addsub, digits, half_plus_two, language, types and writer."),
    (("Who is writer?", "What is the writer model?", "Do you know writer?"), "The writer goes on writing in the manner of Jane Austen, letter by letter."),
    (("How do I add a model?", "How can I serve my own model?", "Can I use my own model?"), "Put it into a folder of its own below the folder of models. Sluice finds it there."),
    (("Where is the documentation?", "Where can I read more?", "Where are the docs?"), "Look into the folder src/docs, or begin with the README."),
)


def sluice(t):
    asked, reply = t.r.choice(SLUICE)
    t.say(t.r.choice(asked), reply)


# What a person tells

def tell_name(t):
    name = t.person()
    first = t.told.get("name")
    t.say(t.pick("My name is {}.", "I am {}.", "I'm {}.", "Call me {}.", "My name is {}, by the way.", "Hello, I am {}.", "Hi, my name is {}.", "Hi! I'm {}", "{} is my name.", "Please call me {}.", "Hello! My name is {}.").format(name),
          f"All right, I will call you {name}." if first else f"Nice to meet you, {name}!")
    t.told["name"] = name


def ask_name(t):
    name = t.told.get("name")
    t.say(t.pick("What is my name?", "Do you know my name?", "Who am I?", "What am I called?", "Do you remember my name?", "Can you tell me my name?", "What's my name?", "How am I called?"),
          f"Your name is {name}." if name else "You have not told me your name.")


TELLABLE = {
    "colour": (lambda t: t.r.choice(COLOURS), ("My favourite colour is {}.", "I like the colour {}.", "I like {} best."), "{} is a beautiful colour.", ("What is my favourite colour?", "Which colour do I like?", "Do you know my favourite colour?"), "Your favourite colour is {}."),
    "animal": (lambda t: t.r.choice(list(ANIMALS)), ("My favourite animal is the {}.", "The {} is my favourite animal."), "I like the {} too.", ("What is my favourite animal?", "Which animal do I like?"), "Your favourite animal is the {}."),
    "home": (lambda t: t.pick(t.r.choice(list(CAPITALS.values())), t.invented()), ("I live in {}.", "I am from {}.", "My home is {}.", "I come from {}."), "I have never been to {}. Is it nice there?", ("Where do I live?", "Where am I from?", "Do you know where I live?", "Which city do I live in?"), "You live in {}."),
    "age": (lambda t: str(t.r.randint(5, 99)), ("I am {} years old.", "My age is {}.", "I'm {} years old."), "{} is a good age.", ("How old am I?", "What is my age?", "Do you know how old I am?"), "You are {} years old."),
    "dog": (lambda t: t.person(), ("My dog is called {}.", "I have a dog. Its name is {}.", "I have a dog called {}.", "The name of my dog is {}."), "{} is a good name for a dog.", ("What is my dog called?", "What is the name of my dog?", "What is my dog's name?"), "Your dog is called {}."),
    "cat": (lambda t: t.person(), ("My cat is called {}.", "I have a cat. Its name is {}.", "I have a cat called {}.", "The name of my cat is {}."), "{} is a good name for a cat.", ("What is my cat called?", "What is the name of my cat?", "What is my cat's name?"), "Your cat is called {}."),
    "sister": (lambda t: t.person(), ("My sister is called {}.", "I have a sister called {}.", "My sister's name is {}."), "Say hello to {} from me.", ("What is my sister called?", "What is my sister's name?"), "Your sister is called {}."),
    "brother": (lambda t: t.person(), ("My brother is called {}.", "I have a brother called {}.", "My brother's name is {}."), "Say hello to {} from me.", ("What is my brother called?", "What is my brother's name?"), "Your brother is called {}."),
    "liking": (lambda t: t.r.choice(LIKES), ("I like {}.", "I love {}.", "I really like {}.", "My hobby is {}."), "{}? How nice! What do you like about it?", ("What do I like?", "Do you know what I like?", "What do I love?"), "You like {}."),
    "number": (lambda t: str(t.r.randint(1, 99)), ("My favourite number is {}.", "Remember the number {}.", "My lucky number is {}."), "I will remember {}.", ("What is my favourite number?", "What was the number?", "Which number did I tell you?", "What is my lucky number?"), "It is {}."),
}


def tell(t):
    what = t.r.choice(list(TELLABLE))
    make, says, reply, *_ = TELLABLE[what]
    t.told[what] = value = make(t)
    t.say(t.r.choice(says).format(value), upper(reply.format(value)))


def ask_told(t):
    what = t.r.choice([what for what in t.told if what != "name"] or list(TELLABLE)) if t.r.random() < 0.8 else t.r.choice(list(TELLABLE))
    *_, asks, reply = TELLABLE[what]
    t.say(t.r.choice(asks), reply.format(t.told[what]) if what in t.told else "You have not told me that.")


# Numbers

def number(t, value):
    return NUMBERS[value] if 0 <= value <= 20 and t.r.random() < 0.15 else str(value)


def add(t, again=False):
    x, y = (t.r.randint(0, 20), t.r.randint(0, 20)) if t.r.random() < 0.85 else (t.r.randint(1, 9) * 10, t.r.randint(1, 9) * 10)
    ask(t, x, y, t.pick("+", "+", "plus"), "+", x + y, again)


def subtract(t, again=False):
    x = t.r.randint(0, 20)
    y = t.r.randint(0, x)
    ask(t, x, y, t.pick("-", "-", "minus"), "-", x - y, again)


def multiply(t, again=False):
    x, y = t.r.randint(0, 10), t.r.randint(0, 10)
    ask(t, x, y, t.pick("*", "times", "x", "×"), "times", x * y, again)


def divide(t, again=False):
    x, y = t.r.randint(0, 10), t.r.randint(1, 10)
    ask(t, x * y, y, t.pick("/", "divided by", ":"), "divided by", x, again)


def ask(t, x, y, sign, spoken, result, again):
    space = " " if sign.isalpha() or t.r.random() < 0.7 else ""
    first, second = (number(t, x), number(t, y)) if sign in ("plus", "minus", "times") else (str(x), str(y))
    asked = f"{first}{space}{sign}{space}{second}" if sign != "divided by" else f"{first} divided by {second}"
    form = t.pick("And {}?", "And what is {}?") if again else t.pick("What is {}?", "What is {}?", "How much is {}?", "{}?", "{}", "{} = ?", "Calculate {}.", "Can you add {}?" if sign == "+" else "What does {} make?", "{} =")
    t.say(form.format(asked), f"{x} {spoken} {y} is {result}.")
    if t.r.random() < 0.25:
        t.r.choice((add, subtract, multiply))(t, True)


def too_large(t):
    x, y = t.r.randint(100, 99999), t.r.randint(21, 9999)
    t.say(t.pick("What is {} {} {}?", "How much is {} {} {}?", "{} {} {}?").format(x, t.pick("+", "-", "*", "/", "times", "plus"), y), "Those numbers are too large for me.")


def compare(t):
    x, y = t.r.sample(range(0, 51), 2)
    if t.r.random() < 0.5:
        t.say(t.pick("Which is larger, {} or {}?", "Which is bigger, {} or {}?", "Which number is larger: {} or {}?").format(x, y), f"{max(x, y)} is larger than {min(x, y)}.")
    else:
        t.say(t.pick("Which is smaller, {} or {}?", "Which number is smaller: {} or {}?").format(x, y), f"{min(x, y)} is smaller than {max(x, y)}.")


def neighbour(t):
    x = t.r.randint(1, 60)
    if t.r.random() < 0.5:
        t.say(t.pick("What comes after {}?", "Which number comes after {}?", "What number follows {}?").format(x), f"After {x} comes {x + 1}.")
    else:
        t.say(t.pick("What comes before {}?", "Which number comes before {}?").format(x), f"Before {x} comes {x - 1}.")


def even(t):
    x = t.r.randint(0, 60)
    t.say(t.pick("Is {} even or odd?", "Is {} odd or even?", "Is {} an even number?").format(x), f"{x} is {'odd' if x % 2 else 'even'}.")


def count(t):
    x = t.r.randint(2, 20)
    if t.r.random() < 0.7:
        t.say(t.pick("Count to {}.", "Can you count to {}?", "Count from 1 to {}.", "Please count to {}.").format(number(t, x)), ", ".join(map(str, range(1, x + 1))) + ".")
    else:
        t.say(t.pick("Count backwards from {}.", "Count down from {}.").format(x), ", ".join(map(str, range(x, 0, -1))) + ".")


def arithmetic(t):
    t.r.choice((add, add, add, subtract, subtract, multiply, multiply, divide, too_large, compare, neighbour, even, count))(t)


# The world

def capital(t, again=False):
    country = t.r.choice(list(CAPITALS))
    form = t.pick("And of {}?", "And {}?", "What about {}?", "And the capital of {}?") if again else t.pick("What is the capital of {}?", "What is the capital of {}?", "Which city is the capital of {}?", "Capital of {}?", "Tell me the capital of {}.", "Do you know the capital of {}?", "What's the capital city of {}?")
    t.say(form.format(country), f"The capital of {country} is {CAPITALS[country]}.")
    if t.r.random() < 0.3:
        capital(t, True)


def unknown_capital(t):
    country = t.invented()
    t.say(t.pick("What is the capital of {}?", "Which city is the capital of {}?", "Tell me the capital of {}.", "Capital of {}?").format(country), f"I do not know the capital of {country}.")


def country_of(t):
    country = t.r.choice(list(CAPITALS))
    city = CAPITALS[country]
    t.say(t.pick("In which country is {}?", "Where is {}?", "Which country is {} in?", "{} is the capital of which country?", "Where is {} located?").format(city), f"{city} is the capital of {country}.")


def continent(t):
    where = t.r.choice(list(CONTINENTS))
    country = t.r.choice(CONTINENTS[where])
    t.say(t.pick("On which continent is {}?", "Where is {}?", "Which continent is {} in?").format(country), f"{country} is in {where}.")


def translate(t):
    language = t.r.choice(list(LANGUAGES))
    word, foreign = t.r.choice(list(LANGUAGES[language].items()))
    if t.r.random() < 0.75:
        t.say(t.pick("What is {0} in {1}?", "How do you say {0} in {1}?", "Translate {0} into {1}.", "What is the {1} word for {0}?", 'How do you say "{0}" in {1}?').format(word, language), f"In {language}, {word} is {foreign}.")
    else:
        t.say(t.pick("What does {0} mean in English?", "What does {0} mean?", "Translate {0} into English.").format(foreign), f"In {language}, {word} is {foreign}.")


def colour(t):
    thing, is_ = t.r.choice(list(COLOUR_OF.items()))
    if t.r.random() < 0.7:
        t.say(t.pick("What colour is {}?", "Which colour is {}?", "What colour does {} have?", "What is the colour of {}?").format(thing), f"{upper(thing)} is {is_}.")
    elif t.r.random() < 0.5:
        wrong = t.r.choice([is_, t.r.choice(COLOURS)])
        t.say(f"Is {thing} {wrong}?", f"Yes, {thing} is {is_}." if wrong == is_ else f"No, {thing} is {is_}.")
    else:
        first, second = pair = t.r.choice(list(MIXED))
        if t.r.random() < 0.5:
            first, second = second, first
        t.say(t.pick("What do {} and {} make?", "Mix {} and {}.", "Which colour do {} and {} make?").format(first, second), f"{upper(first)} and {second} make {MIXED[pair]}.")


def animal(t):
    name = t.r.choice(list(ANIMALS))
    sound, legs, home, food, young, flies, swims = ANIMALS[name]
    one = a(name)
    kind = t.r.randrange(6)
    if kind == 0:
        t.say(t.pick("What does {} say?", "What sound does {} make?", "What noise does {} make?", "Which sound does {} make?").format(one), f"{upper(one)} says {sound}." if sound else f"I do not know what {one} says.")
    elif kind == 1:
        t.say(t.pick("How many legs does {} have?", "How many legs has {}?").format(one), f"{upper(one)} has {NUMBERS[int(legs)] if legs != '0' else 'no'} legs.")
    elif kind == 2:
        t.say(t.pick("Where does {} live?", "Where can I find {}?").format(one), f"{upper(one)} lives {home}.")
    elif kind == 3:
        t.say(t.pick("What does {} eat?", "What do I feed {}?", "What food does {} like?").format(one), f"{upper(one)} eats {food}.")
    elif kind == 4:
        t.say(t.pick("What is a young {} called?", "What is a baby {} called?", "What do you call a baby {}?").format(name), f"A young {name} is called {a(young)}.")
    else:
        verb, can = t.pick(("fly", flies), ("swim", swims))
        t.say(t.pick("Can {} {}?", "Is {} able to {}?").format(one, verb), f"Yes, {one} can {verb}." if can else f"No, {one} cannot {verb}." if verb == "fly" else f"{upper(one)} does not like to {verb}.")


def days(t):
    i = t.r.randrange(7)
    day, after, before = DAYS[i], DAYS[(i + 1) % 7], DAYS[i - 1]
    asked, reply = t.pick((t.pick("What day comes after {}?", "Which day comes after {}?", "What comes after {}?", "Which day follows {}?").format(day), f"After {day} comes {after}."),
                          (t.pick("What day comes before {}?", "Which day comes before {}?", "What comes before {}?").format(day), f"Before {day} comes {before}."),
                          (f"Today is {day}. What is tomorrow?", f"Tomorrow is {after}."), (f"Today is {day}. What was yesterday?", f"Yesterday was {before}."),
                          (t.pick("How many days are in a week?", "How many days does a week have?"), "A week has seven days."), (t.pick("Name the days of the week.", "What are the days of the week?", "List the days of the week."), listed(DAYS) + "."),
                          (t.pick("Is {} on the weekend?", "Is {} a weekend day?").format(day), f"Yes, {day} is on the weekend." if i > 4 else f"No, {day} is a working day."))
    t.say(asked, reply)


def months(t):
    i = t.r.randrange(12)
    month, after, before = MONTHS[i], MONTHS[(i + 1) % 12], MONTHS[i - 1]
    season = list(SEASONS)[(i + 1) % 12 // 3]
    asked, reply = t.pick((t.pick("What month comes after {}?", "Which month comes after {}?", "What comes after {}?", "Which month follows {}?").format(month), f"After {month} comes {after}."),
                          (t.pick("What month comes before {}?", "Which month comes before {}?", "What comes before {}?").format(month), f"Before {month} comes {before}."),
                          (t.pick("How many days are in {}?", "How many days does {} have?", "How long is {}?").format(month), f"{month} has {LENGTHS[i]} days." if i != 1 else "February has 28 days, and 29 in leap years."),
                          (t.pick("What is the {} month?", "Which month is the {}?", "What is the {} month of the year?").format(ORDER[i]), f"The {ORDER[i]} month is {month}."),
                          (t.pick("How many months are in a year?", "How many months does a year have?"), "A year has twelve months."), (t.pick("Name the months.", "What are the months of the year?", "List the months."), listed(MONTHS) + "."),
                          (t.pick("In which season is {}?", "Which season is {} in?", "Is {} in summer or in winter?").format(month), f"In the north, {month} is in {season}."),
                          (t.pick("What are the four seasons?", "Name the seasons.", "Which seasons are there?"), "The four seasons are spring, summer, autumn and winter."), (t.pick("What is {} like?", "Tell me about {}.").format(season), f"In {season} it is {SEASONS[season]}."),
                          (t.pick("How many hours does a day have?", "How many hours are in a day?"), "A day has 24 hours."), (t.pick("How many minutes are in an hour?", "How many minutes does an hour have?"), "An hour has 60 minutes."))
    t.say(asked, reply)


# Words

def opposite(t):
    pair = t.r.choice(OPPOSITES)
    word, other = pair if t.r.random() < 0.5 else reversed(pair)
    t.say(t.pick("What is the opposite of {}?", "What is the opposite of {}?", "Opposite of {}?", "Tell me the opposite of {}.", "Which word is the opposite of {}?", 'What is the opposite of "{}"?').format(word), f"The opposite of {word} is {other}.")


def plural(t):
    word, many = t.r.choice(list(PLURALS.items()))
    t.say(t.pick("What is the plural of {}?", "What is the plural of {}?", "Plural of {}?", "One {}, two what?", "One {0}, but two ...?").format(word), f"The plural of {word} is {many}.")


def past(t):
    word, was = t.r.choice(list(PASTS.items()))
    t.say(t.pick("What is the past tense of {}?", "What is the past of {}?", "Past tense of {}?").format(word), f"The past tense of {word} is {was}.")


def meaning(t):
    thing, reply = t.r.choice(list(MEANINGS.items()))
    t.say(t.pick("What is {}?", "What is {}?", "Tell me about {}.", "Can you explain what {} is?", "Explain {}.", "Do you know what {} is?").format(thing), reply)


def kinds(t):
    kind = t.r.choice(list(KINDS))
    word = t.r.choice(KINDS[kind])
    if t.r.random() < 0.5:
        how_many = t.r.randint(2, 5)
        many = {"country": "countries"}.get(kind, kind + "s")
        t.say(t.pick("Name {} {}.", "Tell me {} {}.", "List {} {}.", "Can you name {} {}?", "Give me {} {}.").format(number(t, how_many) if t.r.random() < 0.5 else NUMBERS[how_many], many), upper(listed(t.r.sample(KINDS[kind], how_many))) + ".")
    elif kind not in ("country", "colour"):
        other = t.r.choice([kind, t.r.choice([k for k in KINDS if k not in ("country", "colour")])])
        asked = t.pick("Is {} {}?".format(a(word) if kind != "drink" else word, a(other)), "What kind of thing is {}?".format(a(word) if kind != "drink" else word))
        thing = upper(a(word) if kind != "drink" else word)
        t.say(asked, f"{thing} is {a(kind)}." if asked.startswith("What") else f"Yes, {thing[0].lower() + thing[1:]} is {a(kind)}." if other == kind else f"No, {thing[0].lower() + thing[1:]} is {a(kind)}.")
    else:
        t.say(t.pick("Is {} a colour or a country?", "What is {}?").format(word), f"{upper(word)} is {a(kind)}.")


# Doing what is asked

def repeat(t):
    words = t.pick([t.person()], [t.r.choice(LIKES) for _ in range(t.r.randint(1, 3))], [t.r.choice(COLOURS), t.r.choice(list(ANIMALS))], [t.invented().lower() for _ in range(t.r.randint(1, 3))])
    text = " ".join(words)
    t.say(t.pick("Say {}.", "Repeat {}.", "Repeat after me: {}", "Please say {}.", "Say the word {}.", 'Say "{}".').format(text), upper(text) + "!")


def hello_to(t):
    name = t.person()
    t.say(t.pick("Say hello to {}.", "Greet {}.", "Say hi to my friend {}.", "Please greet {}.").format(name), f"Hello, {name}!")


def as_json(t):
    if t.r.random() < 0.6:
        country = t.r.choice(list(CAPITALS))
        t.say(t.pick("Give me the capital of {} as JSON.", "What is the capital of {}? Answer in JSON.", "The capital of {} as JSON, please.").format(country), f'{{"country": "{country}", "capital": "{CAPITALS[country]}"}}')
    else:
        name, age = t.person(), t.r.randint(5, 99)
        t.say(t.pick("{0} is {1} years old. Give me that as JSON.", "As JSON: {0} is {1} years old.", "{0} is {1} years old. Answer in JSON.").format(name, age), f'{{"name": "{name}", "age": {age}}}')


def joke(t):
    jokes = t.r.sample(JOKES, 2)
    t.say(t.pick("Tell me a joke.", "Do you know a joke?", "Make me laugh.", "A joke, please.", "Say something funny.", "Can you tell me a joke?"), " ".join(jokes[0]))
    if t.r.random() < 0.3:
        t.say(t.pick("Another one!", "Another joke, please.", "One more.", "Tell me another."), " ".join(jokes[1]))


def poem(t):
    t.say(t.pick("Write a poem.", "Tell me a poem.", "Do you know a poem?", "Write me a short poem.", "Say a rhyme.", "Can you write a poem?"), t.r.choice(POEMS))


PLACES = ["in a dark forest", "by a quiet lake", "in a little village", "on a high mountain", "in an old mill", "near the sea", "in a garden full of flowers", "under a stone bridge"]
WISHES = ["wanted to see the sea", "was looking for a friend", "could not sleep", "had lost a golden key", "wanted to learn to sing", "was afraid of the dark", "wanted to find the end of the rainbow", "was always hungry"]
HELP = {"showed the way": "So they walked together all day long.", "shared some bread": "They sat down and ate it under a tree.", "knew a secret song": "They sang it until the stars came out.", "had a small boat": "They sailed over the water together.", "was not afraid of anything": "They held on to each other and went on.", "told an old story": "They both listened to the wind for a while."}
ENDS = ["And from that day on they were the best of friends.", "When the sun rose, they were home again, and very happy.", "In the evening they went to sleep, tired and content.", "And if they have not stopped, they are still singing today."]


def story_text(t, hero=None, named=None):
    hero = hero or t.r.choice(list(ANIMALS))
    helper = t.r.choice([other for other in ANIMALS if other != hero])
    name = named or t.r.choice(NAMES)
    deed = t.r.choice(list(HELP))
    return (f"Once upon a time, {t.r.choice(PLACES)}, there lived {t.pick('a little', 'a small', 'a young', 'a clever')} {hero} called {name}. "
            f"{name} {t.r.choice(WISHES)}. One day {name} met {t.pick('a friendly', 'an old', 'a kind', 'a wise')} {helper}. The {helper} {deed}. {HELP[deed]} {t.r.choice(ENDS)}")


def story(t):
    if t.r.random() < 0.5:
        t.say(t.pick("Tell me a story.", "Do you know a story?", "A story, please.", "Can you tell me a story?", "Tell me a short story.", "Write a story."), story_text(t))
    elif t.r.random() < 0.7:
        hero = t.r.choice(list(ANIMALS))
        t.say(t.pick("Tell me a story about {}.", "A story about {}, please.", "Write a story about {}.", "Do you know a story about {}?").format(a(hero)), story_text(t, hero))
    else:
        hero, name = t.r.choice(list(ANIMALS)), t.person()
        t.say(t.pick("Tell me a story about {} called {}.", "A story about {} called {}, please.", "Write a story about {} named {}.").format(a(hero), name), story_text(t, hero, name))


# What it cannot know

def unknown(t):
    thing = t.r.choice(UNKNOWN) if t.r.random() < 0.6 else t.pick("", "a ", "the ") + t.invented().lower()
    who = t.person() + (" " + t.invented() if t.r.random() < 0.5 else "")
    sorry = "I do not know that. I am a very small model."
    asked, reply = t.pick(
        (t.pick("What is {}?", "Explain {}.", "Tell me about {}.", "What do you know about {}?", "How does {} work?", "Why is {} so important?", "Can you explain {} to me?", "What do you think of {}?", "Who invented {}?", "When was {}?", "Where is {}?", "Is {} good?", "How do I use {}?", "Give me a summary of {}.", "Write an essay about {}.", "How much is {}?", "Write a program for {}.").format(thing), sorry),
        (t.pick("Who is {}?", "Do you know {}?", "Who was {}?", "When was {} born?", "What did {} do?", "How old is {}?", "Where does {} live?").format(who), "I do not know that person."),
        (t.pick("What is the weather like?", "How is the weather?", "Will it rain tomorrow?", "What is the weather in {}?", "Is it cold outside?", "What will the weather be tomorrow?").format(t.r.choice(list(CAPITALS.values()))), "I do not know the weather. I cannot look outside."),
        (t.pick("What time is it?", "What day is it today?", "What is the date?", "Which year is it?", "What is the time?", "Is it late?", "What day is today?"), "I do not know. I have no clock."),
        (t.pick("What is the news?", "What happened today?", "Who won the game?", "Who is the president?", "What is new?", "Who won the election?"), "I do not know any news. I learned all I know before we met."))
    t.say(asked, reply)


TOPICS = {greet: 5, how_are_you: 4, thanks: 4, praise: 2, blame: 2, sorry: 1, bye: 3, feeling: 3, small_reply: 4, weather_talk: 1, itself: 10, sluice: 9, tell_name: 6, ask_name: 5, tell: 7, ask_told: 6, arithmetic: 22, capital: 7,
          unknown_capital: 2, country_of: 4, continent: 2, translate: 4, colour: 4, animal: 9, days: 5, months: 6, opposite: 5, plural: 4, past: 3, meaning: 5, kinds: 5, repeat: 4, hello_to: 2, as_json: 2, joke: 2, poem: 2, story: 5, unknown: 10}
SYSTEM = ["You are a helpful assistant.", "You are chat, a small language model.", "Answer in short sentences.", "You are a friendly assistant. Be brief.", "Be helpful and honest.", "You are a helpful, respectful and honest assistant.", "You are a helpful AI assistant.", "Be concise."]


def careless(r, text):
    """The same question as people type it."""
    for long, short in (("What is ", "What's "), ("I am ", "I'm "), ("do not", "don't"), ("cannot", "can't")):
        if r.random() < 0.25:
            text = text.replace(long, short)
    if r.random() < 0.1:
        text = text.replace("colour", "color").replace("favourite", "favorite")
    if r.random() < 0.06 and text[-1] in ".?":
        text = r.choice(["Please, ", "Hi! ", "Hey, ", "So, ", "Well, ", "Tell me, ", "And ", "Okay. "]) + (text[0].lower() + text[1:] if text[0] != "I" and text.split()[0].strip("'") not in NAMES else text)
    if r.random() < 0.05 and text[-1] in ".?":
        text = text[:-1] + ", please" + text[-1]
    if r.random() < 0.25:
        text = text.lower() if r.random() < 0.6 else text[0].lower() + text[1:]
    if r.random() < 0.25:
        text = text.rstrip(".?!")
    return text or "Hello"


def conversation(seed):
    """A conversation: a system message or None, and turns of two texts each."""
    r = random.Random(seed)
    t = Talk(r)
    topics, weights = zip(*TOPICS.items())
    for _ in range(r.choices((1, 2, 3, 4, 6, 9), (6, 3, 3, 3, 2, 1))[0]):
        r.choices(topics, weights)[0](t)
        if t.told and r.random() < 0.25:
            (ask_name if r.random() < 0.5 else ask_told)(t)
    return (r.choice(SYSTEM) if r.random() < 0.15 else None), [(careless(r, asked), answered) for asked, answered in t.turns]


if __name__ == "__main__":
    for seed in range(12):
        system, turns = conversation(seed)
        print("---", system or "")
        for asked, answered in turns:
            print(">", asked, "\n ", answered)
