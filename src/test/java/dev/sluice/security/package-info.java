/**
 * Tests of who is recognised, and of what the policy lets them do. Start at {@link
 * dev.sluice.security.BearerAuthenticatorTest}.
 *
 * <p>Threads: each test's own.
 */
@NullMarked
package dev.sluice.security;

import org.jspecify.annotations.NullMarked;
