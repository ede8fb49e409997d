/**
 * Errors of TensorFlow Serving for models, versions and labels that do not take requests: the same
 * over REST and gRPC. Start at {@link dev.sluice.protocol.tfs.lookup.ServableErrors}.
 *
 * <p>Threads: any.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.protocol.tfs.lookup;

import org.jspecify.annotations.NullMarked;
