/** JSON and raw bytes to and from tensors, held against another JSON library. */
@NullMarked
package dev.sluice.protocol.codec;

import org.jspecify.annotations.NullMarked;
