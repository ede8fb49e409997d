/**
 * What is counted and measured, and every metric's name. Start at {@link
 * dev.sluice.telemetry.Telemetry}.
 *
 * <p>Two things are counted apart. A <em>call</em> is a request as its caller sees it, from its
 * first byte to its answer: {@link dev.sluice.telemetry.meter.CallMeter} counts it by protocol,
 * entry point, model and status. TensorFlow Serving's metrics are those of its own calls and of V1,
 * and KServe's those of V1 and V2. A <em>run</em> is what the model's worker does for one or
 * several of them, whichever protocol they came by: {@link dev.sluice.telemetry.meter.VersionMeter}
 * counts it, and Triton's metrics and statistics are made of that.
 *
 * <p>The names are those that dashboards for the other servers ask for. No metrics library at hand
 * can carry them (counters without {@code _total}), so the page is written here.
 *
 * <p>Cardinality limit: labels name only models that exist; requests for unknown names share a few
 * meters, see {@link dev.sluice.telemetry.meter.UnknownModelMeters}.
 *
 * <p>Traces: {@link Tracer} samples requests by the {@link Traces} settings; {@link TraceWriter}
 * writes them to Triton's files on a thread of its own, and drops traces rather than delay a
 * request.
 *
 * <p>Threads: meters are for any thread, unless they say that one thread writes them. Recording
 * takes no lock, looks nothing up and allocates nothing; reading is slow and for workers.
 *
 * <p>Units: nanoseconds of {@link System#nanoTime} while measuring; on the page, those of the name.
 */
@NullMarked
package dev.sluice.telemetry;

import org.jspecify.annotations.NullMarked;
