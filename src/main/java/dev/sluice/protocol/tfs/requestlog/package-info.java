/**
 * Request logs: samples of calls in TFRecord files. Start at {@link
 * dev.sluice.protocol.tfs.requestlog.RequestLogs}.
 *
 * <p>Threads: calls are sampled on event loops and written by a thread of their own.
 *
 * <p>Units: sizes are bytes; a sampling rate is a fraction between 0 and 1.
 */
@NullMarked
package dev.sluice.protocol.tfs.requestlog;

import org.jspecify.annotations.NullMarked;
