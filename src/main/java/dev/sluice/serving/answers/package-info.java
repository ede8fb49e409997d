/**
 * Answers that are put together of streams: {@link dev.sluice.serving.answers.WholeText} makes one
 * answer of a stream, {@link dev.sluice.serving.answers.AnswerRows} one response of several
 * answers, and {@link dev.sluice.serving.answers.MergedAnswers} one stream of several.
 *
 * <p>Threads: the caller's event loop.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.serving.answers;

import org.jspecify.annotations.NullMarked;
