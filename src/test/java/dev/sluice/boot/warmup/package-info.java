/** Tests of what a server asks itself before it is ready. */
@NullMarked
package dev.sluice.boot.warmup;

import org.jspecify.annotations.NullMarked;
