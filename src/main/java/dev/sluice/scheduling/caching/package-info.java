/**
 * Answers that are kept for requests with the same inputs. Start at {@link
 * dev.sluice.scheduling.caching.ResponseCache}.
 *
 * <p>Threads: event loops look and keep, loading workers clear; nothing here waits.
 *
 * <p>Units: sizes are bytes, of a request's key and of its answer's tensors together.
 */
@NullMarked
package dev.sluice.scheduling.caching;

import org.jspecify.annotations.NullMarked;
