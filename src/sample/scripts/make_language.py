"""language: guesses the language of a text by counting common little words; text in, text out.

Every known word brings 60 points, shared out among the languages that have it. Whole numbers add up without rounding,
so a text gets the same score alone and in any batch, however long the texts beside it are.
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onnx_file import MODELS, save, value

POINTS = 60  # divides by every number of languages up to six

WORDS = {
    "English": """the of and to in is that it was for on are as with his they be at have this from had by but not what
        all were we when your can said there an which she do their if will up other about out then them these some her
        would make him has two more been who its now did my you i he how where why because could should""",
    "German": """der die das und ist nicht ich sie es ein eine einen einem einer zu den dem des mit auf für von im
        wir ihr er wie was auch sich aber oder wenn werden wird war sind hat haben noch nur nach bei aus über durch kann
        wo mein dein kein keine dass schon mehr sehr zum zur heute bin bist hier""",
    "French": """le la les de des du un une et est que qui dans pour pas sur au aux avec ce cette ces il elle ils nous
        vous je tu ne se son sa ses plus par mais ou où donc être avoir sont été fait tout comme si leur même aussi très
        c'est n'est qu'il qu'elle j'ai d'un d'une bien mon ma mes à y était quand""",
    "Spanish": """el la los las de del y en que un una es por para con no se su sus al lo como más pero o este esta
        estos ya muy también hay ser son está están fue cuando donde porque sin sobre entre yo tú él ella nosotros mi
        qué cómo dónde todo todos le les nos desde hasta tiene""",
    "Italian": """il lo la gli le i di del della dei delle e è che un una uno per con non si in sono ho ha hanno ma o se come più
        anche questo questa questi nel nella alla al dal dalla sul sulla suo sua loro io tu lui lei noi voi mi ti ci
        perché dove quando molto essere c'è tutto ancora già quello""",
    "Dutch": """de het een en van ik te dat die in je is niet zijn op aan met als voor er maar om hem dan zou of wat
        mijn men dit zo door over ze uit ook tot naar heb hoe heeft hebben deze want nog kan wij ons wordt worden bij
        geen waar wie waarom veel meer zij hij was""",
}
PUNCTUATION = ",.;:!?"


def spellings(word):
    """The forms in which a word can still appear after lower-casing and splitting at blanks."""
    # The model lower-cases in the C locale, the only one present on every machine, and that leaves É and Ü alone.
    for letters in {word, "".join(c if c.isascii() else c.upper() for c in word)}:
        for apostrophe in {letters, letters.replace("'", "’")}:
            yield apostrophe
            yield from (apostrophe + mark for mark in PUNCTUATION)


languages = list(WORDS)
vocabulary = sorted({word for words in WORDS.values() for word in words.split()})

# Row 0 is for words that nobody knows and for the padding that fills up the shorter texts of a batch.
points = np.zeros((1 + len(vocabulary), len(languages)), np.float32)
for row, word in enumerate(vocabulary, start=1):
    having = [column for column, language in enumerate(languages) if word in WORDS[language].split()]
    points[row, having] = POINTS // len(having)
rows = {spelling: row for row, word in enumerate(vocabulary, start=1) for spelling in sorted(spellings(word))}


def ml(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, domain="ai.onnx.ml", **attributes)


path = save(
    MODELS / "language",
    [
        # The string nodes do not agree on what an empty batch is, so a guard text is always there and cut off at the end.
        helper.make_node("Concat", ["text", "guard"], ["guarded"], axis=0),
        helper.make_node("StringNormalizer", ["guarded"], ["lower"], case_change_action="LOWER", locale="C"),
        helper.make_node("StringSplit", ["lower"], ["words", "word_count"]),
        ml("LabelEncoder", ["words"], ["rows"], keys_strings=list(rows), values_int64s=list(rows.values()), default_int64=0),
        helper.make_node("Gather", ["points", "rows"], ["word_points"], axis=0),
        helper.make_node("ReduceSum", ["word_points", "axis_words"], ["language_points"], keepdims=0),
        # A text without any known word is of no language rather than of the first in the list.
        helper.make_node("ReduceSum", ["language_points", "axis_languages"], ["total"], keepdims=0),
        helper.make_node("ReduceMax", ["language_points", "axis_languages"], ["best"], keepdims=0),
        helper.make_node("ArgMax", ["language_points"], ["winner"], axis=1, keepdims=0),
        helper.make_node("Greater", ["best", "nothing"], ["known"]),
        helper.make_node("Where", ["known", "winner", "none"], ["index"]),
        ml("LabelEncoder", ["index"], ["guarded_language"], keys_int64s=list(range(len(languages))),
           values_strings=languages, default_string="unknown"),
        helper.make_node("Max", ["total", "one_word"], ["divisor"]),
        helper.make_node("Div", ["best", "divisor"], ["guarded_score"]),
        helper.make_node("Slice", ["guarded_language", "first", "last"], ["language"]),
        helper.make_node("Slice", ["guarded_score", "first", "last"], ["score"]),
    ],
    [value("text", "BYTES", ["batch"])],
    [value("language", "BYTES", ["batch"]), value("score", "FP32", ["batch"])],
    [
        helper.make_tensor("guard", TensorProto.STRING, [1], [b"-"]),
        numpy_helper.from_array(points, "points"),
        numpy_helper.from_array(np.array([1], np.int64), "axis_words"),
        numpy_helper.from_array(np.array([1], np.int64), "axis_languages"),
        numpy_helper.from_array(np.float32(0).reshape(()), "nothing"),
        numpy_helper.from_array(np.float32(POINTS).reshape(()), "one_word"),
        numpy_helper.from_array(np.int64(-1).reshape(()), "none"),
        numpy_helper.from_array(np.array([0], np.int64), "first"),
        numpy_helper.from_array(np.array([-1], np.int64), "last"),
    ],
    doc="The language of a text and the share of its known words that speaks for it",
)
print(f"{len(vocabulary)} words, {len(rows)} spellings, {path.stat().st_size} bytes")
