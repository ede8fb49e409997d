/**
 * Elements of tensors as V1's JSON has them: numbers, texts and base64 objects into input tensors.
 * Start at {@link dev.sluice.protocol.v1.http.element.InputBuilder}.
 *
 * <p>Parts: {@link dev.sluice.protocol.v1.http.element.V1ValueReader} reads nested lists, {@link
 * dev.sluice.protocol.v1.http.element.ElementReader} one element. {@link
 * dev.sluice.protocol.v1.http.element.JsonDump} writes JSON as TensorFlow Serving's texts quote it.
 *
 * <p>Memory: a builder owns what it has built until the tensor is taken.
 *
 * <p>Threads: any, one at a time for each object.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.v1.http.element;

import org.jspecify.annotations.NullMarked;
