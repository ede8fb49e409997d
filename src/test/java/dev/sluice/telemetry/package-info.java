/** Tests of what is counted and of how it is shown. */
@NullMarked
package dev.sluice.telemetry;

import org.jspecify.annotations.NullMarked;
