/**
 * HTTP paths that plugins of models answer. Start at {@link
 * dev.sluice.protocol.own.http.PluginPathsHandler}.
 *
 * <p>Threads: the event loop of the connection; the code runs elsewhere.
 */
@NullMarked
package dev.sluice.protocol.own.http;

import org.jspecify.annotations.NullMarked;
