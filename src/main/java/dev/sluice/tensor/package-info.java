/**
 * Typed blocks of numbers and text in native memory: what every protocol decodes into and every
 * runtime computes on. Start at {@link dev.sluice.tensor.Tensor}.
 *
 * <p>Parts:
 *
 * <ul>
 *   <li>{@link Tensor}, its {@link DataType} and {@link Shape}; {@link TensorSpec} is a declaration
 *       of one, {@link NamedTensor} one with its name;
 *   <li>{@link TensorBuilder} for elements whose number is not known beforehand, {@link
 *       BytesElements} to read text without a copy;
 *   <li>zero-copy sharing by reference count: {@link SharedBlock} for what arrives in pieces,
 *       {@link SharedTensor} for slices of a batch;
 *   <li>allocation: {@link TensorMemory} with {@link BlockCache}, so that a busy server seldom asks
 *       the C library;
 *   <li>limits: {@link MemoryBudget} for the server, {@link MemoryShare} for one client, {@link
 *       MemoryAccount} for one request; {@link MemoryExhausted} is what a rejected charge throws.
 * </ul>
 *
 * <p>Errors: a charge beyond the budget fails before anything is allocated; a tensor that is used
 * after it was closed throws {@link IllegalStateException}.
 *
 * <p>Copies, from what Vert.x hands over to what the model's session reads: numbers in JSON or in
 * typed protobuf fields are decoded straight into the tensor, none. Raw bytes of a body below 64
 * KiB: one, from the body's array, which is Vert.x's own if the body came in one piece. Raw bytes
 * of a larger body whose length was announced: one, from each piece as it arrives into a {@link
 * dev.sluice.tensor.SharedBlock}, of which the tensor is a part; a second one only for a further
 * tensor that does not happen to begin on a boundary of 64 bytes. The model reads its inputs and
 * writes its outputs in place; texts are copied once more in each direction, because runtimes keep
 * them in a form of their own. Outputs: one, into the answer's buffer.
 *
 * <p>A request that runs alone is not copied in between. One that is joined with others, or padded,
 * is copied once into the batch; its share of the outputs is a slice of theirs ({@link
 * dev.sluice.tensor.SharedTensor}), which is no copy.
 *
 * <p>Threads: a tensor has one owner at a time and may be handed to another thread; nothing here
 * locks. The package uses the JDK alone and knows no event loop.
 *
 * <p>Units: sizes are bytes, shapes are elements, memory is in the machine's (little-endian) order.
 */
@NullMarked
package dev.sluice.tensor;

import org.jspecify.annotations.NullMarked;
