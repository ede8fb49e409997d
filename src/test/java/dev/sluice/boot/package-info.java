/** Tests of the command line. */
@NullMarked
package dev.sluice.boot;

import org.jspecify.annotations.NullMarked;
