/**
 * TensorFlow Serving's REST form: what of {@code /v1} is its own, namely model status, metadata,
 * the words of its failures. Start at {@link dev.sluice.protocol.tfs.http.TfsDialect}.
 *
 * <p>Parts: {@link ExamplesCall} answers classify and regress, {@link ExampleWriter} turns JSON
 * objects into serialized examples, {@link ResultsJson}, {@link StatusJson} and {@link
 * TfsMetadataJson} write answers. Predict itself is shared with KServe: {@code V1Routes}.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.protocol.tfs.http;

import org.jspecify.annotations.NullMarked;
