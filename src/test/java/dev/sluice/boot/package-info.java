/** Whole servers, started and stopped. */
@NullMarked
package dev.sluice.boot;

import org.jspecify.annotations.NullMarked;
