/**
 * What operators and their tools call: the metrics page and the console. Start at {@link
 * dev.sluice.ops.MetricsHandler}; {@link dev.sluice.ops.CallMonitor} is what the console shows.
 *
 * <p>Threads: event loops; pages are made by workers, since they may be long, and the monitor looks
 * on one.
 *
 * <p>Units: as the names of metrics say.
 */
@NullMarked
package dev.sluice.ops;

import org.jspecify.annotations.NullMarked;
