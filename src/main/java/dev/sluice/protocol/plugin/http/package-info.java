/**
 * HTTP paths that plugins of models answer. Start at {@link
 * dev.sluice.protocol.plugin.http.PluginPathsHandler}.
 *
 * <p>Threads: the event loop of the connection; the code runs elsewhere.
 */
@NullMarked
package dev.sluice.protocol.plugin.http;

import org.jspecify.annotations.NullMarked;
