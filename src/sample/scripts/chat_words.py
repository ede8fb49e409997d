"""What chat knows of the world: tables written for it."""

NAMES = """Ada Adam Agnes Ahmed Aiko Alan Alba Alex Alice Amara Amir Amy Ana Andrei Anna Anton Arjun Astrid Ayşe Ben Bela Bruno Carla Carlos
Chen Chloe Clara Daniel Daria David Diana Diego Dmitri Elena Eli Elif Emil Emma Erik Esther Eva Fatima Felix Finn Fiona Frank Frida Grace
Greta Hana Hans Hassan Helen Henry Hugo Ian Ida Igor Ines Ingrid Irene Isaac Ivan Jack Jane Javier Jean Jim Joan John Jonas Jose Julia
Kai Karl Kate Kenji Kim Lara Laura Lea Lena Leo Li Lily Lina Linus Liu Lola Louis Lucas Lucy Luis Maja Marco Maria Marie Mark Marta Mary
Matteo Max Maya Mei Mia Michael Mila Mina Mira Mohamed Nadia Nick Nina Noah Noor Nora Olga Oliver Omar Oscar Otto Pablo Paul Pavel Peter
Pia Priya Rafael Raj Ravi Rita Robert Robin Rosa Ruth Sally Sam Sara Sasha Simon Sofia Sonja Stefan Susan Sven Tara Theo Thomas Tim Tina
Tom Uma Vera Victor Wei William Yara Yuki Yusuf Zoe""".split()

CAPITALS = dict(line.split(": ") for line in """Argentina: Buenos Aires|Australia: Canberra|Austria: Vienna|Belgium: Brussels|Brazil: Brasília|Bulgaria: Sofia
Canada: Ottawa|Chile: Santiago|China: Beijing|Colombia: Bogotá|Croatia: Zagreb|Cuba: Havana|Denmark: Copenhagen|Egypt: Cairo|Estonia: Tallinn
Ethiopia: Addis Ababa|Finland: Helsinki|France: Paris|Germany: Berlin|Ghana: Accra|Greece: Athens|Hungary: Budapest|Iceland: Reykjavik
India: New Delhi|Indonesia: Jakarta|Iran: Tehran|Iraq: Baghdad|Ireland: Dublin|Italy: Rome|Jamaica: Kingston|Japan: Tokyo|Kenya: Nairobi
Latvia: Riga|Lithuania: Vilnius|Mexico: Mexico City|Mongolia: Ulaanbaatar|Morocco: Rabat|Nepal: Kathmandu|New Zealand: Wellington|Nigeria: Abuja
Norway: Oslo|Pakistan: Islamabad|Peru: Lima|Poland: Warsaw|Portugal: Lisbon|Romania: Bucharest|Russia: Moscow|Senegal: Dakar|Serbia: Belgrade
Slovakia: Bratislava|Slovenia: Ljubljana|South Korea: Seoul|Spain: Madrid|Sweden: Stockholm|Switzerland: Bern|Thailand: Bangkok|Tunisia: Tunis
Turkey: Ankara|Uganda: Kampala|Ukraine: Kyiv|Uruguay: Montevideo|Vietnam: Hanoi|Zambia: Lusaka""".replace("\n", "|").split("|"))

CONTINENTS = {
    "Europe": "Austria Belgium Denmark Finland France Germany Greece Hungary Ireland Italy Norway Poland Portugal Spain Sweden Switzerland Ukraine".split(),
    "Africa": "Egypt Ethiopia Ghana Kenya Morocco Nigeria Senegal Tunisia Uganda Zambia".split(),
    "Asia": "China India Indonesia Iran Japan Mongolia Nepal Pakistan Thailand Vietnam".split(),
    "South America": "Argentina Brazil Chile Colombia Peru Uruguay".split(),
    "North America": "Canada Cuba Jamaica Mexico".split(),
}

LANGUAGES = {
    "French": "hello=bonjour|thank you=merci|yes=oui|no=non|water=eau|bread=pain|cat=chat|dog=chien|house=maison|good night=bonne nuit|friend=ami|sun=soleil",
    "German": "hello=hallo|thank you=danke|yes=ja|no=nein|water=Wasser|bread=Brot|cat=Katze|dog=Hund|house=Haus|good night=gute Nacht|friend=Freund|sun=Sonne",
    "Spanish": "hello=hola|thank you=gracias|yes=sí|no=no|water=agua|bread=pan|cat=gato|dog=perro|house=casa|good night=buenas noches|friend=amigo|sun=sol",
    "Italian": "hello=ciao|thank you=grazie|yes=sì|no=no|water=acqua|bread=pane|cat=gatto|dog=cane|house=casa|good night=buona notte|friend=amico|sun=sole",
}
LANGUAGES = {language: dict(pair.split("=") for pair in words.split("|")) for language, words in LANGUAGES.items()}

COLOURS = "red blue green yellow orange purple pink brown black white grey".split()
COLOUR_OF = dict(pair.split("=") for pair in """grass=green|a tomato=red|the sky=blue|snow=white|coal=black|a banana=yellow|a lemon=yellow|an orange=orange|a carrot=orange
blood=red|milk=white|chocolate=brown|a strawberry=red|the sea=blue|the sun=yellow|a frog=green|a raven=black|a swan=white|a fire engine=red|a leaf=green
a pea=green|an elephant=grey|a mouse=grey|a flamingo=pink|a pig=pink|a plum=purple|salt=white|a cucumber=green|a cherry=red|the night=black""".replace("\n", "|").split("|"))
MIXED = {("red", "yellow"): "orange", ("blue", "yellow"): "green", ("red", "blue"): "purple", ("red", "white"): "pink", ("black", "white"): "grey"}

# animal: what it says, how many legs, where it lives, what it eats, its young one, whether it can fly, whether it can swim
ANIMALS = {row.split(",")[0]: row.split(",")[1:] for row in """cow,moo,4,on a farm,grass,calf,,|dog,woof,4,with people,meat,puppy,,swim|cat,meow,4,with people,fish and mice,kitten,,
sheep,baa,4,on a farm,grass,lamb,,|pig,oink,4,on a farm,almost everything,piglet,,swim|duck,quack,2,at the pond,plants and snails,duckling,fly,swim
horse,neigh,4,on a farm,grass and hay,foal,,swim|lion,roar,4,in the savanna,meat,cub,,|bee,buzz,6,in a hive,nectar,larva,fly,|frog,croak,4,at the pond,insects,tadpole,,swim
owl,hoot,2,in the forest,mice,owlet,fly,|hen,cluck,2,on a farm,grain,chick,,|mouse,squeak,4,in a hole,seeds and cheese,pup,,|wolf,howl,4,in the forest,meat,cub,,swim
snake,hiss,0,in the grass,mice,snakelet,,swim|bear,growl,4,in the forest,berries and fish,cub,,swim|goat,bleat,4,on a farm,grass and leaves,kid,,|donkey,hee-haw,4,on a farm,grass and hay,foal,,
crow,caw,2,in the trees,almost everything,chick,fly,|fox,,4,in the forest,mice and berries,cub,,|rabbit,,4,in a burrow,grass and carrots,kit,,|fish,,0,in the water,small animals and plants,fry,,swim
spider,,8,in a web,flies,spiderling,,|ant,,6,in an anthill,almost everything,larva,,|elephant,,4,in the savanna,leaves and grass,calf,,swim|giraffe,,4,in the savanna,leaves,calf,,
penguin,,2,on the ice,fish,chick,,swim|whale,,0,in the sea,krill,calf,,swim|eagle,,2,in the mountains,fish and rabbits,eaglet,fly,|butterfly,,6,among flowers,nectar,caterpillar,fly,
tiger,,4,in the jungle,meat,cub,,swim|deer,,4,in the forest,grass and leaves,fawn,,swim|hedgehog,,4,in the garden,insects,hoglet,,|squirrel,,4,in the trees,nuts,kit,,
bat,,2,in a cave,insects,pup,fly,|turtle,,4,in the water,plants,hatchling,,swim|camel,,4,in the desert,grass and leaves,calf,,|swan,,2,on the lake,plants,cygnet,fly,swim""".replace("\n", "|").split("|")}

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
ORDER = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
SEASONS = {"winter": "cold", "spring": "mild and full of flowers", "summer": "warm", "autumn": "windy and colourful"}
NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty""".split()

OPPOSITES = [pair.split() for pair in """hot cold|big small|fast slow|up down|left right|day night|black white|good bad|old young|new used|happy sad|rich poor|hard soft
light dark|loud quiet|wet dry|full empty|open closed|early late|long short|high low|thick thin|strong weak|clean dirty|near far|first last|true false
begin end|buy sell|come go|give take|laugh cry|love hate|win lose|push pull|inside outside|above below|before after|always never|easy difficult
sweet sour|sharp blunt|wide narrow|deep shallow|cheap expensive|brave afraid|asleep awake|friend enemy|question answer|summer winter|north south|east west
yes no|start stop|heavy light|tall short|smooth rough|warm cool|safe dangerous|polite rude""".replace("\n", "|").split("|")]

PLURALS = dict(pair.split() for pair in """mouse mice|child children|foot feet|tooth teeth|goose geese|man men|woman women|person people|ox oxen|sheep sheep|fish fish|deer deer
leaf leaves|knife knives|wolf wolves|life lives|shelf shelves|wife wives|city cities|baby babies|story stories|berry berries|party parties|country countries
box boxes|bus buses|dish dishes|church churches|fox foxes|glass glasses|potato potatoes|tomato tomatoes|hero heroes|cat cats|dog dogs|house houses|book books
tree trees|car cars|apple apples|day days|key keys|boy boys|girl girls|bird birds|star stars|river rivers|model models|server servers|tensor tensors|horse horses
bee bees|cow cows|hand hands|eye eyes|flower flowers|word words|window windows|matrix matrices|vertex vertices|cactus cacti""".replace("\n", "|").split("|"))

PASTS = dict(pair.split() for pair in """go went|come came|see saw|eat ate|drink drank|run ran|swim swam|sing sang|write wrote|read read|speak spoke|take took|give gave|make made
think thought|buy bought|bring brought|teach taught|catch caught|find found|know knew|fly flew|grow grew|begin began|break broke|sleep slept|keep kept
feel felt|meet met|lose lost|win won|sit sat|stand stood|tell told|say said|send sent|build built|hear heard|be was|have had|do did|walk walked
play played|work worked|learn learned|jump jumped|look looked|ask asked|answer answered|dance danced|try tried|cook cooked""".replace("\n", "|").split("|"))

MEANINGS = dict(pair.split("=") for pair in """the sun=The sun is a star. It gives us light and warmth.|the moon=The moon goes round the Earth. It shines at night.|rain=Rain is water that falls from clouds.
snow=Snow is frozen water. It falls when it is cold.|a tree=A tree is a tall plant with a trunk and leaves.|a river=A river is water that flows to the sea.|water=Water is what rain, rivers and seas are made of.
a book=A book is made of pages, and one can read it.|a house=A house is a place where people live.|a computer=A computer is a machine that follows instructions very fast.
music=Music is sound that is made to be listened to.|a friend=A friend is a person whom one likes and trusts.|love=Love is a strong feeling for somebody.|time=Time is what clocks measure.
the sea=The sea is very much salt water.|a mountain=A mountain is land that is very high.|bread=Bread is food made of flour and water.|fire=Fire is hot and bright. It burns wood.
wind=Wind is air that moves.|a star=A star is a hot ball of gas, far away.|ice=Ice is water that is frozen.|the earth=The Earth is the planet on which we live.
a school=A school is a place where people learn.|a number=A number is what one counts with.|a word=A word is a piece of language that means something.|a cloud=A cloud is many tiny drops of water in the sky.
a tensor=A tensor is a block of numbers with a shape, such as a row or a table.|a model=A model is a function that was learned from examples.|an inference server=An inference server runs models for others, who ask it over the network.
a neural network=A neural network is many simple sums, with weights that were learned.|a token=A token is a piece of text, such as a word or a part of one.|a language model=A language model guesses which piece of text comes next, again and again.
machine learning=Machine learning is finding rules in examples.|a protocol=A protocol is a set of rules for how programs talk to each other.|a batch=A batch is several requests that are run together.
streaming=Streaming is sending an answer piece by piece, as it is made.|open source=Open source is software whose code everybody may read and change.|a weight=A weight is a number in a model that was learned.""".replace("\n", "|").split("|"))

KINDS = {
    "fruit": "apple banana cherry grape lemon mango orange peach pear plum strawberry".split(),
    "vegetable": "bean cabbage carrot cucumber leek onion pea potato pumpkin spinach turnip".split(),
    "animal": "bear cat cow dog duck fox frog horse lion mouse owl rabbit".split(),
    "colour": COLOURS,
    "musical instrument": "cello drum flute guitar harp piano trumpet violin".split(),
    "tool": "axe chisel hammer ladder pliers saw screwdriver spade".split(),
    "drink": "coffee juice lemonade milk tea water".split(),
    "flower": "daisy lily poppy rose sunflower tulip violet".split(),
    "country": list(CAPITALS)[:40],
}

LIKES = """apples music chess books football tea coffee cats dogs dancing cooking swimming mathematics history gardens trains stars bread cheese chocolate films painting
poems rain snow the sea summer winter mountains birds bicycles ice cream pizza soup puzzles singing sleeping running travelling languages computers""".replace("\n", " ").replace("ice cream", "ice_cream").replace("the sea", "the_sea").split()
LIKES = [thing.replace("_", " ") for thing in LIKES]

FEELINGS = dict(pair.split("=") for pair in """tired=Then have a rest. A little sleep helps.|happy=I am glad to hear that!|sad=I am sorry to hear that. I hope it gets better soon.|hungry=Then it is time to eat something.
thirsty=Then drink a glass of water.|bored=Shall I tell you a story or a joke?|angry=Take a deep breath. What happened?|lonely=I am here to talk with you, as well as I can.|ill=I am sorry. I hope you get well soon.
cold=Then put on something warm.|hot=Then open a window and drink some water.|busy=Then I will be brief.|nervous=Take your time. It will be all right.|excited=That is wonderful! What is it about?|lost=Where do you want to go? I do not know many places.
fine=That is good to hear.|well=That is good to hear.|sick=I am sorry. I hope you get well soon.|worried=I am sorry. It may help to talk with a friend.|in love=How lovely! I wish you luck.|late=Then hurry, and take care.""".replace("\n", "|").split("|"))

JOKES = [line.split(" / ") for line in """Why did the tensor go to the doctor? / It was out of shape.|Why was the model so calm? / It had lost all its loss.|Why did the batch wait at the door? / It was one short of being full.
Why did the packet cross the road? / The other road was congested.|Why did the server bring an umbrella? / It had heard of the cloud.|Why could the port not sleep? / Everybody kept listening to it.
Why did the stream laugh? / It had got the joke one token at a time.|Why did the token smile? / It had been chosen.|Why did the cache stay at home? / It had all its keys with it.|Why was the mask so shy? / It had too much to hide.
Why do decoders make good friends? / They pay attention to every word.|Why did the thread go on holiday? / It had been blocked for days.|Why was the gradient tired? / It had gone downhill all day.""".replace("\n", "|").split("|")]

POEMS = ["The rain falls down,\nthe grass grows green,\nthe finest drops\nare hardly seen.",
         "A little light,\na little song,\nthe night is short,\nthe day is long.",
         "I am a model, very small,\nI hardly know a thing at all,\nbut ask me something, line by line:\nsome of my answers turn out fine.",
         "The river runs, the river bends,\nit has no hurry and no ends;\na gate is opened, and it flows\nto places that it hardly knows.",
         "The moon is up, the owl awake,\na silver path lies on the lake."]

# Names of things that chat knows nothing of: questions about them are answered so.
UNKNOWN = """quantum physics|the stock market|the football game|the election|the president|my neighbour|the best phone|bitcoin|the lottery numbers|Shakespeare|Mozart|the French Revolution
the Roman Empire|photosynthesis|black holes|DNA|the theory of relativity|the Second World War|Napoleon|Einstein|dark matter|inflation|tax law|cancer|my homework|this error
the news|the meaning of life|Kubernetes networking|chess openings|Java generics|the fastest car|the oldest city|the deepest lake|vaccines|volcanoes|dinosaurs|the pyramids
the film that won|the new song|my bank|the price of gold|the traffic|my train|the bus|the restaurant|an atom|a virus|electricity|gravity|democracy|philosophy|the internet
Python decorators|a compiler|an algorithm|calculus|the Pythagorean theorem|a black hole|Mars|Jupiter|the speed of light|Tolstoy|Beethoven|a sonnet|the Olympics""".replace("\n", "|").split("|")
