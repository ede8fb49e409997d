/** Tests of who runs together, with a manual clock. */
@NullMarked
package dev.sluice.scheduling.batching;

import org.jspecify.annotations.NullMarked;
