/**
 * The page of metrics: registries, the snapshots that sources give them on each scrape, and the
 * forms in which they are written. Start at {@link
 * dev.sluice.telemetry.exposition.MetricRegistries}.
 *
 * <p>Parts: a {@link MetricSource} fills a {@link MetricsPage}; the writers are those of
 * Prometheus' client, but for {@link CompatibleText}.
 *
 * <p>Threads: workers, since a page may be long.
 *
 * <p>Units: as the names of metrics say.
 */
@NullMarked
package dev.sluice.telemetry.exposition;

import org.jspecify.annotations.NullMarked;
