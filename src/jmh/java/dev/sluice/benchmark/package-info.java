/**
 * What the micro-benchmarks share. They lie beside the code that they measure, since most of it is
 * not public.
 */
@NullMarked
package dev.sluice.benchmark;

import org.jspecify.annotations.NullMarked;
