/**
 * Typed blocks of numbers and text in native memory: what every protocol decodes into and every
 * runtime computes on. Start at {@link dev.sluice.tensor.Tensor}.
 *
 * <p>Threads: a tensor has one owner at a time and may be handed to another thread; nothing here
 * locks. The package uses the JDK alone and knows no event loop.
 *
 * <p>Units: sizes are bytes, shapes are elements, memory is in the machine's (little-endian) order.
 */
@NullMarked
package dev.sluice.tensor;

import org.jspecify.annotations.NullMarked;
