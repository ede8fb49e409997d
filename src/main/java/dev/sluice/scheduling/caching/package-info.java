/**
 * Answers that are kept for requests with the same inputs. Start at {@link
 * dev.sluice.scheduling.caching.ResponseCache}.
 *
 * <p>Parts: {@link CachingScheduler} looks in the cache before it submits. A {@link RequestKey}
 * holds all inputs whole, so two requests are never mistaken for each other. A {@link
 * CachedResponse} is shared by reference count, without a copy for each hit.
 *
 * <p>Invalidation: keys name the load of the version and of all members of an ensemble, so that a
 * reload never serves an answer of the version before.
 *
 * <p>Threads: event loops look and keep, loading workers clear; nothing here waits.
 *
 * <p>Units: sizes are bytes, of a request's key and of its answer's tensors together.
 */
@NullMarked
package dev.sluice.scheduling.caching;

import org.jspecify.annotations.NullMarked;
