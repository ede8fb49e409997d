/**
 * Start, graceful shutdown and wiring of the server, and their order. Start at {@link
 * dev.sluice.boot.SluiceServer}.
 *
 * <p>Parts: {@link SluiceServer} starts listeners, models and periodic tasks in order, and stops
 * them in reverse: graceful shutdown, which {@link GracefulShutdown} begins on a signal. {@link
 * ServeCommand} reads a settings file; {@link TritonServerCommand}, {@link ModelServerCommand} and
 * {@link KserveCommand} take the flags of other servers. {@link ProtocolWarmUp} sends each protocol
 * requests before the server is ready. {@link LogSetup} configures the log.
 *
 * <p>Errors: a {@link StartFailure} or a {@link dev.sluice.config.binding.ConfigException} ends the
 * start with one line and no stack trace.
 *
 * <p>Threads: the main thread, and Vert.x's where it says so.
 */
@NullMarked
package dev.sluice.boot;

import org.jspecify.annotations.NullMarked;
