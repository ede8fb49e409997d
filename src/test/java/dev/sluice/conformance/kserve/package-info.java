/** KServe V1's recorded exchanges. */
@NullMarked
package dev.sluice.conformance.kserve;

import org.jspecify.annotations.NullMarked;
