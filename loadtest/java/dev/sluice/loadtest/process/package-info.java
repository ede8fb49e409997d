/**
 * The processes of a load test: servers, peers, generators. Start at {@link
 * dev.sluice.loadtest.process.Children}, which ends whatever still runs.
 *
 * <p>Units: sizes are bytes, times are as their types or names say.
 */
@NullMarked
package dev.sluice.loadtest.process;

import org.jspecify.annotations.NullMarked;
