/**
 * What the protocols share: JSON text and raw little-endian bytes to and from tensors. Start at
 * {@link dev.sluice.protocol.codec.JsonCursor} for reading and {@link
 * dev.sluice.protocol.codec.JsonWriter} for writing.
 *
 * <p>Parts: {@link JsonCursor} walks JSON text; {@link JsonNumber} and {@link FastNumberParser}
 * read numbers exactly, the latter eight digits at a time; {@link JsonElements} and {@link
 * FloatElements} put them into tensors. {@link JsonTensors} and {@link FloatText} write. {@link
 * RawTensors} reads and checks the raw layout, zero-copy where the body lies in native memory.
 * Protobuf messages are read and written in {@link dev.sluice.protocol.codec.protobuf}.
 *
 * <p>Errors: {@link JsonException} has a {@link JsonError} and a position, and no text: each
 * protocol has its own words for it.
 *
 * <p>Copies: JSON is decoded in the array that the body came in, with neither strings nor a tree in
 * between; an answer is written into one array, sized from its tensors. Raw bytes in native memory
 * become a tensor where they are: see {@link dev.sluice.protocol.codec.RawTensors}.
 *
 * <p>Threads: any, one at a time for each object. Nothing here blocks.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.codec;

import org.jspecify.annotations.NullMarked;
