/**
 * What a load test found, and the forms it is shown in. Start at {@link
 * dev.sluice.loadtest.report.Report}.
 *
 * <p>Units: rates are per second, latencies are microseconds.
 */
@NullMarked
package dev.sluice.loadtest.report;

import org.jspecify.annotations.NullMarked;
