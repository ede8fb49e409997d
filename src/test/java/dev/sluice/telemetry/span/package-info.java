/** Tests of spans of requests. */
@NullMarked
package dev.sluice.telemetry.span;

import org.jspecify.annotations.NullMarked;
