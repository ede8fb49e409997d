/**
 * Protobuf as it lies on the wire: one reader and one writer, for every protocol whose hot path
 * makes no generated messages. Calls that are not hot use the generated classes.
 *
 * <p>Read {@link dev.sluice.protocol.codec.protobuf.ProtobufReader} first. Any thread, one at a
 * time for each reader and writer. Offsets, lengths and sizes are in bytes.
 */
@NullMarked
package dev.sluice.protocol.codec.protobuf;

import org.jspecify.annotations.NullMarked;
