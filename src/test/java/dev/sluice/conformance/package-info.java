/** What holds for all protocols at once, on a real server with real models. */
@NullMarked
package dev.sluice.conformance;

import org.jspecify.annotations.NullMarked;
