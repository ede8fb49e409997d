/**
 * How busy the server is, for those who choose a server: load balancers, endpoint pickers. Start at
 * {@link dev.sluice.telemetry.load.LoadReporter}.
 *
 * <p>The report is that of ORCA (Open Request Cost Aggregation), which Envoy and gRPC's clients
 * weigh servers by: {@link dev.sluice.telemetry.load.LoadReport}, in one of the forms of {@link
 * dev.sluice.telemetry.load.LoadReportFormat}.
 *
 * <p>Threads: any. A report is measured when one is wanted and the last is old, by the thread that
 * wants it; nothing is measured while none is.
 *
 * <p>Units: nanoseconds of {@link System#nanoTime} while measuring; shares from 0 on and rates per
 * second in a report.
 */
@NullMarked
package dev.sluice.telemetry.load;

import org.jspecify.annotations.NullMarked;
