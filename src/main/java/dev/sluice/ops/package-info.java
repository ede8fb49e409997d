/**
 * What operators and their tools call: the metrics page. Start at {@link
 * dev.sluice.ops.MetricsFace}.
 *
 * <p>Threads: event loops; pages are made by workers, since they may be long.
 *
 * <p>Units: as the names of metrics say.
 */
@NullMarked
package dev.sluice.ops;

import org.jspecify.annotations.NullMarked;
