/**
 * Records requests and responses with their tensors, sampled. Start at {@link
 * dev.sluice.boot.inferencelog.RecordingDataPlane}, which copies what is recorded, and {@link
 * dev.sluice.boot.inferencelog.InferenceLogWriter}, whose thread formats and writes it.
 *
 * <p>Ownership: tensors stay whose they are; what is recorded of them is copied into the heap, on
 * the event loop of the request, while the request or the response still owns them.
 */
@NullMarked
package dev.sluice.boot.inferencelog;

import org.jspecify.annotations.NullMarked;
