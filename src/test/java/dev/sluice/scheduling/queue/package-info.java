/** Tests of the order in which requests run. */
@NullMarked
package dev.sluice.scheduling.queue;

import org.jspecify.annotations.NullMarked;
