/**
 * What the protocols share: JSON text and raw little-endian bytes to and from tensors. Start at
 * {@link dev.sluice.protocol.codec.JsonCursor} for reading and {@link
 * dev.sluice.protocol.codec.JsonWriter} for writing.
 *
 * <p>Threads: any, one at a time for each object. Nothing here blocks.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.codec;

import org.jspecify.annotations.NullMarked;
