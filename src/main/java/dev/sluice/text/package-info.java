/**
 * Text and the tokens that stand for it. Start at {@link dev.sluice.text.TokenCodec}.
 *
 * <p>{@link dev.sluice.text.HuggingFaceTokenizer} is a model's own {@code tokenizer.json}, read by
 * the library that it was made with. {@link dev.sluice.text.Vocabulary} is a list of texts in place
 * of it. {@link dev.sluice.text.StreamedText} turns tokens that come one by one into text of whole
 * characters, and holds back what may become a stop string. {@link dev.sluice.text.ChatCodec} adds
 * conversations: {@link dev.sluice.text.ChatPrompts} makes prompts of them by the model's chat
 * template, which package {@code jinja} renders.
 *
 * <p>Threads: codecs are immutable and for any thread; a streamed text belongs to one at a time.
 * Encoding takes time in proportion to the text: not on an event loop.
 *
 * <p>Units: lengths of texts are counted in UTF-16 characters, those of prompts in tokens.
 */
@NullMarked
package dev.sluice.text;

import org.jspecify.annotations.NullMarked;
