/** What the concurrency tests need of a request. Run by {@code make stress}. */
@NullMarked
package dev.sluice.stress;

import org.jspecify.annotations.NullMarked;
