/**
 * The Open Inference Protocol against a real server with real models. Start at {@link
 * dev.sluice.conformance.oip.OipHttpConformanceIT}; its cases lie under the resources, in {@code
 * conformance/oip}.
 *
 * <p>Threads: JUnit's.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.conformance.oip;

import org.jspecify.annotations.NullMarked;
