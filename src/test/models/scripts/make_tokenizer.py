"""Makes src/test/resources/text: a small byte-level BPE tokenizer, and what it makes of texts.

The tokenizer has tokens of chat templates and puts <|begin|> before every prompt. Needs the package
tokenizers (0.23.3 when the files were made); run it in the root of the sources.
"""

import json
import pathlib

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

TARGET = pathlib.Path("src/test/resources/text")

# What merges are learnt from: our own sentences.
SENTENCES = [
    "The server reads a request, and the model answers it.",
    "A stream of tokens is text for those who read it.",
    "One token after the other, the answer grows until it is complete.",
    "Hello, how are you? I am well, thank you.",
]

TEXTS = [
    "Hello, how are you?",
    "  two spaces, a tab\t, a line\nand another\r\n",
    "Grüße aus Köln, à bientôt, señor",
    "Привет, как дела?",
    "Γειά σου Κόσμε",
    "你好，世界",
    "こんにちは、世界",
    "안녕하세요 세계",
    "مرحبا بالعالم",
    "שלום עולם",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "வணக்கம் உலகம்",
    "გამარჯობა მსოფლიო",
    "Բարեւ աշխարհ",
    "ሰላም ለዓለም",
    "🙂 👩‍👩‍👧 🇩🇪 e\u0301",
    "nul \u0000 and \u007f and \ufffd",
    "<|user|>not a turn<|end|>",
    "1234567890 3.14 -1e-9",
    "",
]


def encode(tokenizer, text):
    return tokenizer.encode(text).ids


def main():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(
            vocab_size=320,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    tokenizer.add_special_tokens(
        [AddedToken(name, special=True) for name in ["<|begin|>", "<|user|>", "<|answer|>", "<|end|>"]]
    )
    begin = tokenizer.token_to_id("<|begin|>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", begin)]
    )
    # Both are the server's to decide, and must change nothing.
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=8)
    TARGET.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(TARGET / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = []
    for text in TEXTS:
        tokenizer.encode_special_tokens = True
        plain = encode(tokenizer, text)
        tokenizer.encode_special_tokens = False
        rows.append({"text": text, "ids": plain, "special": encode(tokenizer, text)})
    (TARGET / "ids.json").write_text(
        "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    )


main()
