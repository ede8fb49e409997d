/**
 * What the access log says of a call: who asked what, how it was answered, and where the time went.
 * Start at {@link dev.sluice.telemetry.access.AccessEntry}.
 */
@NullMarked
package dev.sluice.telemetry.access;

import org.jspecify.annotations.NullMarked;
