/**
 * Identities, roles and the policy: may this caller do this operation?
 *
 * <p>Read {@link dev.sluice.security.ListenerAccess} first: it turns what a request or its
 * connection presents into a {@link dev.sluice.inference.access.Caller}, on the event loop of the
 * connection, without blocking. All types are immutable unless they say otherwise; any thread.
 *
 * <p>Parts: {@link Authenticators} turn {@link Credentials} into an {@link Identity}: {@link
 * BearerAuthenticator} for API keys and JSON Web Tokens, {@link CertificateAuthenticator} for
 * mutual TLS, {@link UnixPeerAuthenticator} for local sockets. {@link PolicyRule}s map identities
 * to roles; {@link PolicyCaller} holds the compiled rights. {@link Restrictions} are Triton's
 * headers for groups of operations.
 *
 * <p>Rotation: keys, tokens' keys and certificates are read again while the server runs ({@link
 * ReloadedFile}, {@link JwksEndpoint}); a broken file changes nothing and is logged.
 *
 * <p>Errors: UNAUTHENTICATED for a credential that is not valid, PERMISSION_DENIED for a missing
 * right.
 */
@NullMarked
package dev.sluice.security;

import org.jspecify.annotations.NullMarked;
