/**
 * Writes the access log: one line for each call that has ended. Start at {@link
 * dev.sluice.boot.accesslog.AccessLogWriter}.
 */
@NullMarked
package dev.sluice.boot.accesslog;

import org.jspecify.annotations.NullMarked;
