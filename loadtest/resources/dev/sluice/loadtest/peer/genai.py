"""Generates greedily behind prompts of given lengths, all rows together: MODEL LENGTHS TOKENS SECONDS. Prints tokens per second."""
import sys
import time

import numpy
import onnxruntime_genai

folder, lengths, tokens, seconds = sys.argv[1], [int(each) for each in sys.argv[2].split(",")], int(sys.argv[3]), float(sys.argv[4])
model = onnxruntime_genai.Model(folder)
longest = max(lengths)
prompts = numpy.zeros((len(lengths), longest), numpy.int32)
for row, length in enumerate(lengths):
    prompts[row, longest - length:] = [1 + (length * 7 + i * 13) % 511 for i in range(length)]


def generate():
    parameters = onnxruntime_genai.GeneratorParams(model)
    parameters.set_search_options(batch_size=len(lengths), min_length=longest + tokens, max_length=longest + tokens)
    generator = onnxruntime_genai.Generator(model, parameters)
    generator.append_tokens(prompts)
    steps = 0
    while not generator.is_done():
        generator.generate_next_token()
        steps += 1
    return steps * len(lengths)


def measure(length):
    begin, made = time.monotonic(), 0
    while time.monotonic() - begin < length:
        made += generate()
    return made / (time.monotonic() - begin)


measure(1)
print(measure(seconds))
