/** Tests of sessions in processes of their own. */
@NullMarked
package dev.sluice.runtime.isolation;

import org.jspecify.annotations.NullMarked;
