/** Tests of loops. */
@NullMarked
package dev.sluice.scheduling.generator;

import org.jspecify.annotations.NullMarked;
