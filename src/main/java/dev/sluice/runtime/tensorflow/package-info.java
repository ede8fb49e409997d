/**
 * Runs SavedModels with TensorFlow, through its C API. Start at {@link
 * dev.sluice.runtime.tensorflow.TensorflowSession}.
 *
 * <p>Parts: {@link SavedModel} is a loaded graph, shared by all sessions of a version by reference
 * count. {@link SignatureReader} reads its signatures, {@link CallableSignature} resolves their
 * tensors to {@link GraphOutput}s, {@link TensorflowRun} runs them. {@link TensorConversion} copies
 * tensors into TensorFlow's memory and views its outputs where they may be kept.
 *
 * <p>Errors: TensorFlow's status codes become those of the server; {@link MissingOperation} names
 * what the library lacks of a model.
 *
 * <p>Threads: a session is used by one worker at a time. Objects of the C API are held by their
 * addresses, as {@code long}s, and freed by the class that made them. A run cannot be interrupted.
 *
 * <p>Units: sizes are bytes, shapes are elements.
 */
@NullMarked
package dev.sluice.runtime.tensorflow;

import org.jspecify.annotations.NullMarked;
