/**
 * Accounting of a listener's connections: how many are open, what they and their requests may hold,
 * whether they are being drained, and what their clients did wrong. Start at {@link
 * dev.sluice.transport.connection.RequestMemory}.
 *
 * <p>Threads: counts are shared by all event loops of a listener; the rest belongs to the event
 * loop of its connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.connection;

import org.jspecify.annotations.NullMarked;
