/**
 * Text encoders: models of tokens that clients send texts to. Start at {@link
 * dev.sluice.serving.encoder.EncoderSession}, which stands before the model's own session: a run
 * takes texts, so that requests join without padding, and the tokens of all of them are put into
 * batches of like lengths.
 *
 * <p>{@link dev.sluice.serving.encoder.TextEncoder} is what is known of the model, {@link
 * dev.sluice.serving.encoder.EncoderFiles} finds it out, and {@link
 * dev.sluice.serving.encoder.JoinProof} whether its texts may run together.
 *
 * <p>Threads: the model's workers; found out on a loading worker.
 *
 * <p>Units: lengths are tokens.
 */
@NullMarked
package dev.sluice.serving.encoder;

import org.jspecify.annotations.NullMarked;
