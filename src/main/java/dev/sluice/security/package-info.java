/**
 * Identities, roles and the policy: may this caller do this operation?
 *
 * <p>Read {@link dev.sluice.security.ListenerAccess} first: it turns what a request or its
 * connection presents into a {@link dev.sluice.inference.Caller}, on the event loop of the
 * connection, without blocking. All types are immutable unless they say otherwise; any thread.
 */
@NullMarked
package dev.sluice.security;

import org.jspecify.annotations.NullMarked;
