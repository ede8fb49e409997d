/** Tests of how streams proceed, step by step. */
@NullMarked
package dev.sluice.scheduling.stream;

import org.jspecify.annotations.NullMarked;
