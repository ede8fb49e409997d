/**
 * The workloads: what is asked, what it is compared with, and which goal it has. Start at {@link
 * dev.sluice.loadtest.row.Workloads}.
 *
 * <p>Threads: one workload runs at a time, on the main thread.
 */
@NullMarked
package dev.sluice.loadtest.row;

import org.jspecify.annotations.NullMarked;
