/**
 * What the protocol handlers of grps share: its element types, its statuses, how a model is named,
 * how values become a model's inputs and in which form the outputs go back. Start at {@link
 * dev.sluice.protocol.grps.PredictCall}: the handling of a predict call.
 *
 * <p>Parts: {@link ModelResolver} finds the model of a name, {@link RequestInputs} collects its
 * inputs from any {@link DataForm}, {@link ResponseForm} chooses the form of the answer. {@link
 * GrpsStatus} is the only table from error codes to grps' statuses. {@link PredictConcurrencyLimit}
 * is the server's own limit of concurrent predictions.
 *
 * <p>Errors: a failure is a message with a status, in a call that itself succeeds, as grps has it.
 *
 * <p>Threads: any, one at a time for each object; whatever has mutable state belongs to one
 * request.
 *
 * <p>Units: sizes are bytes, shapes are elements.
 */
@NullMarked
package dev.sluice.protocol.grps;

import org.jspecify.annotations.NullMarked;
