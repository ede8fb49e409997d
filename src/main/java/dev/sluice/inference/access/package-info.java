/**
 * Callers and their rights: a {@link dev.sluice.inference.access.Caller} has {@link
 * dev.sluice.inference.access.Role}s, a role includes {@link
 * dev.sluice.inference.access.Operation}s. The handler of a protocol asks, {@code security}
 * decides. Start at {@link dev.sluice.inference.access.Caller}.
 *
 * <p>Threads: all types are immutable.
 *
 * <p>Units: a caller's share of a model's streams and sequences is a fraction between 0 and 1.
 */
@NullMarked
package dev.sluice.inference.access;

import org.jspecify.annotations.NullMarked;
