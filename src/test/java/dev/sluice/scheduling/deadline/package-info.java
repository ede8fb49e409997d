/** Tests of how waits end at their deadlines. */
@NullMarked
package dev.sluice.scheduling.deadline;

import org.jspecify.annotations.NullMarked;
