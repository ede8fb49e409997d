/**
 * The load test: measures the distribution against bare servers. Start at {@link
 * dev.sluice.loadtest.LoadTest}; {@code loadtest/README.md} says how to read what it finds.
 */
@NullMarked
package dev.sluice.loadtest;

import org.jspecify.annotations.NullMarked;
