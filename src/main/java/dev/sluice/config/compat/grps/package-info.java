/**
 * Compatibility configuration of grps: {@code server.yml} and {@code inference.yml} of a
 * deployment, as settings. Start at {@link dev.sluice.config.compat.grps.GrpsDeployment}.
 *
 * <p>Parts: {@link GrpsServerFile} and {@link GrpsInferenceFile} are the two files of a deployment,
 * {@link GrpsDeployment} what they add up to.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: as in the files: milliseconds become {@link java.time.Duration}.
 */
@NullMarked
package dev.sluice.config.compat.grps;

import org.jspecify.annotations.NullMarked;
