/** Tests of the types that every package shares. */
@NullMarked
package dev.sluice.inference;

import org.jspecify.annotations.NullMarked;
