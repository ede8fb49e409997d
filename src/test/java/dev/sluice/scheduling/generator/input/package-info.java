/** Tests of loops. */
@NullMarked
package dev.sluice.scheduling.generator.input;

import org.jspecify.annotations.NullMarked;
