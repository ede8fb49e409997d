/** Tests of when a model is taken out of service. */
@NullMarked
package dev.sluice.scheduling.breaker;

import org.jspecify.annotations.NullMarked;
