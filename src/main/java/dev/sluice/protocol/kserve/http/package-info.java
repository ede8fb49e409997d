/**
 * KServe's V1 protocol: what of {@code /v1} is its own, namely the list of models, readiness, the
 * words of its failures, and CloudEvents around its calls. Start at {@link
 * dev.sluice.protocol.kserve.http.KserveDialect}.
 *
 * <p>Parts: {@link CloudEvents} recognises events in binary ({@link BinaryEvent}) and structured
 * form ({@link StructuredEvent}) and gives the answer the same envelope, with the {@link
 * EventAttributes} of the settings.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.protocol.kserve.http;

import org.jspecify.annotations.NullMarked;
