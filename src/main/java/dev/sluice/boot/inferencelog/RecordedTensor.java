package dev.sluice.boot.inferencelog;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a tensor. Immutable.
 *
 * @param data its bytes as {@link dev.sluice.tensor.Tensor} lays them out; null if they are left
 *     out
 * @param omitted why they are left out; empty if they are not
 */
@SuppressWarnings("ArrayRecordComponent") // Written once, read once.
record RecordedTensor(
    String name, DataType type, Shape shape, byte @Nullable [] data, String omitted) {}
