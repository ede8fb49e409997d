/**
 * HTTP paths that models' own code answers. Start at {@link
 * dev.sluice.protocol.own.http.PluginPathsHandler}.
 *
 * <p>Threads: the event loop of the connection; the code runs elsewhere.
 */
@NullMarked
package dev.sluice.protocol.own.http;

import org.jspecify.annotations.NullMarked;
