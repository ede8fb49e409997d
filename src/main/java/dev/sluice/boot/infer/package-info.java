/**
 * {@code sluice infer}: one request to a running server, by any protocol. Start at {@link
 * dev.sluice.boot.infer.InferCommand}.
 *
 * <p>Parts: an {@link InputTensor} is an input from the command line, a text or a file; {@link
 * RequestForms} makes the JSON of a request from inputs; {@link WireProtocol} knows each protocol's
 * path and messages; {@link ServerCall} sends. Requests of gRPC are made from JSON too, by
 * protobuf's own reader.
 *
 * <p>Threads: the main thread, which waits for a client of Vert.x.
 *
 * <p>Units: lengths of time as in settings, such as {@code 500ms}.
 */
@NullMarked
package dev.sluice.boot.infer;

import org.jspecify.annotations.NullMarked;
