/**
 * Compatibility configuration of Triton: {@code config.pbtxt} and its JSON form, as settings of a
 * model. Start at {@link dev.sluice.config.compat.triton.TritonModelConfig}.
 *
 * <p>Parts: {@link TritonModelConfig} reads a {@code config.pbtxt}; {@link TritonScheduling},
 * {@link TritonSequences}, {@link TritonEnsemble} and {@link TritonOptimization} translate its
 * parts. The message itself is generated from {@code model_config.proto}; {@link TritonText} and
 * {@link TritonJson} read it by protobuf's own parsers. What has no effect here is named in one
 * warning.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: as in the files: microseconds and nanoseconds become {@link java.time.Duration}.
 */
@NullMarked
package dev.sluice.config.compat.triton;

import org.jspecify.annotations.NullMarked;
