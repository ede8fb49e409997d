/** Tensors, without an event loop. */
@NullMarked
package dev.sluice.tensor;

import org.jspecify.annotations.NullMarked;
