/**
 * Settings of the server: listeners, limits, repositories, logs and each protocol. Start at {@link
 * dev.sluice.config.server.ListenerConfig}.
 *
 * <p>Parts: {@link ListenerConfig} is one endpoint with its protocols, {@link LimitsConfig} the
 * memory budget and the limits of bodies, {@link ConnectionConfig} the time limits of connections,
 * {@link ShutdownConfig} the graceful shutdown, {@link DesiredModels} the desired state of the
 * whole repository.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config.server;

import org.jspecify.annotations.NullMarked;
