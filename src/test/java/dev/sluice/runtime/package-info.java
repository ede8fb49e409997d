/** Tests of what the model runtimes share. */
@NullMarked
package dev.sluice.runtime;

import org.jspecify.annotations.NullMarked;
