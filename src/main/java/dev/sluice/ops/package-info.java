/**
 * What operators and their tools call: the metrics page and the console. Start at {@link
 * dev.sluice.ops.MetricsHandler}; {@link dev.sluice.ops.CallMonitor} is what the console shows.
 *
 * <p>Parts: {@link ConnectionMetrics}, {@link ModelStateMetrics}, {@link ProcessMeters} and {@link
 * EventLoopLag} are sources of the page. {@link ConsoleHandler} serves the console, {@link
 * ConsoleState} its data and {@link TimeSeries} its charts, also in the form that grps' monitor
 * reads.
 *
 * <p>Access: both pages need the right to read metrics.
 *
 * <p>Threads: event loops; pages are made by workers, since they may be long, and the monitor looks
 * on one.
 *
 * <p>Units: as the names of metrics say.
 */
@NullMarked
package dev.sluice.ops;

import org.jspecify.annotations.NullMarked;
