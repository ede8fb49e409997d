/**
 * Settings of who may do what: keys, tokens, certificates, policies and the roots of paths that
 * callers name. Start at {@link dev.sluice.config.security.SecurityConfig}.
 *
 * <p>Parts: {@link PolicyConfig} maps identities to roles, {@link ApiKeysConfig}, {@link JwtConfig}
 * and {@link TlsConfig} are the credentials.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config.security;

import org.jspecify.annotations.NullMarked;
