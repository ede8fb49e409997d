/**
 * TensorFlow Serving's REST form: what of {@code /v1} is its own, namely model status, metadata,
 * the words of its failures. Start at {@link dev.sluice.protocol.tfs.http.TfsDialect}.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.protocol.tfs.http;

import org.jspecify.annotations.NullMarked;
