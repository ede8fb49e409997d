/**
 * What the protocols share: JSON text and raw little-endian bytes to and from tensors. Start at
 * {@link dev.sluice.protocol.codec.JsonCursor} for reading and {@link
 * dev.sluice.protocol.codec.JsonWriter} for writing.
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
