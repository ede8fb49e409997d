/**
 * Files that a model comes with when it is published on Hugging Face, beside its graph. Start at
 * {@link dev.sluice.config.compat.huggingface.PublishedModel}.
 *
 * <p>Threads: any; reading blocks.
 *
 * <p>Units: tokens.
 */
@NullMarked
package dev.sluice.config.compat.huggingface;

import org.jspecify.annotations.NullMarked;
