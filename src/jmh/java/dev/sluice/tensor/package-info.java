/** Benchmarks of tensors and of the memory budget. */
@NullMarked
package dev.sluice.tensor;

import org.jspecify.annotations.NullMarked;
