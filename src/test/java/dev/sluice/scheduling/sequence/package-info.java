/** Tests of requests that share a state. */
@NullMarked
package dev.sluice.scheduling.sequence;

import org.jspecify.annotations.NullMarked;
