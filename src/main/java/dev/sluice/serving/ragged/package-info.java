/**
 * Requests whose rows differ in length, for models that say so in their settings. Start at {@link
 * dev.sluice.serving.ragged.RaggedSession}, which stands before such a model's session.
 *
 * <p>{@link dev.sluice.serving.ragged.RaggedTensors} holds the settings against the model's own
 * tensors, {@link dev.sluice.serving.ragged.LengthProof} tries whether padding changes answers. Who
 * runs with whom, and the padding itself, is the business of {@link
 * dev.sluice.scheduling.batching.PaddedRows}.
 *
 * <p>Threads: loading workers, and the workers of the session.
 *
 * <p>Units: lengths are elements along the dimension that the settings name.
 */
@NullMarked
package dev.sluice.serving.ragged;

import org.jspecify.annotations.NullMarked;
