"""The files of Hugging Face's kind that say how chat reads and writes: the tokenizer, the form of a conversation, the sizes."""
import json

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import chat_model as model

END, BEGIN_TURN, END_TURN = "<|endoftext|>", "<|im_start|>", "<|im_end|>"

# ChatML; without a system message there is none.
TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def train(texts):
    """A tokenizer of bytes and of the pieces that these texts are often made of. Digits stand alone, to be counted with."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=model.TOKENS, special_tokens=[END, BEGIN_TURN, END_TURN], show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    assert tokenizer.get_vocab_size() == model.TOKENS, tokenizer.get_vocab_size()
    return tokenizer


def save(folder, tokenizer):
    """Writes the tokenizer and what clients and servers read beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    end, begin_turn, end_turn = (tokenizer.token_to_id(token) for token in (END, BEGIN_TURN, END_TURN))

    def special(token):
        return {"content": token, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}

    files = {
        "tokenizer_config": {
            "added_tokens_decoder": {str(i): special(token) for i, token in ((end, END), (begin_turn, BEGIN_TURN), (end_turn, END_TURN))},
            "additional_special_tokens": [BEGIN_TURN, END_TURN],
            "bos_token": None, "eos_token": END_TURN, "pad_token": END, "unk_token": None,
            "chat_template": TEMPLATE,
            "clean_up_tokenization_spaces": False,
            "model_max_length": model.CONTEXT,
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
        "config": {
            "architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "float16",
            "vocab_size": model.TOKENS, "hidden_size": model.WIDTH, "intermediate_size": model.HIDDEN,
            "num_hidden_layers": model.LAYERS, "num_attention_heads": model.HEADS, "num_key_value_heads": model.SHARED,
            "head_dim": model.INNER, "hidden_act": "silu", "rms_norm_eps": model.SMALL, "rope_theta": model.BASE,
            "max_position_embeddings": model.CONTEXT, "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False,
            "bos_token_id": None, "eos_token_id": end_turn, "pad_token_id": end, "use_cache": True,
        },
        "generation_config": {
            "eos_token_id": [end_turn, end], "pad_token_id": end, "do_sample": True, "temperature": 0.6, "top_p": 0.9,
            "max_new_tokens": 128,
        },
    }
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
