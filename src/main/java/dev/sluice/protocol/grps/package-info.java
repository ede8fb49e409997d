/**
 * What the protocol handlers of grps share: its element types, its statuses, how a model is named,
 * how values become a model's inputs and in which form the outputs go back. Start at {@link
 * dev.sluice.protocol.grps.PredictCall}: the handling of a predict call.
 *
 * <p>Threads: any, one at a time for each object; whatever has mutable state belongs to one
 * request.
 *
 * <p>Units: sizes are bytes, shapes are elements.
 */
@NullMarked
package dev.sluice.protocol.grps;

import org.jspecify.annotations.NullMarked;
