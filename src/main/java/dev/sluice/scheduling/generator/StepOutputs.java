package dev.sluice.scheduling.generator;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of one decode step, such as the next token's logits and the KV cache, taken one by
 * one. Owns those that were not.
 */
final class StepOutputs implements AutoCloseable {
  private final GenerationLoop loop;
  private final @Nullable Tensor[] left;

  /** Copies of what is both fed back and sent, for the sender. */
  private final @Nullable Tensor[] copies;

  private final PaddingSide side;

  /** Elements of padding in what grows. */
  private long padding;

  /**
   * @param side where padding is, if there is any
   * @param outputs taken over; in the order of {@link GenerationLoop#computed}
   */
  StepOutputs(GenerationLoop loop, PaddingSide side, List<NamedTensor> outputs) {
    this.loop = loop;
    this.side = side;
    this.left = new Tensor[outputs.size()];
    this.copies = new Tensor[outputs.size()];
    for (int i = 0; i < left.length; i++) {
      left[i] = outputs.get(i).tensor();
    }
  }

  /**
   * Finds the padding of the outputs that grow, which is cut off where they are sent.
   *
   * @param length elements of a row without padding
   * @return negative if they do not all have the same, none being shorter than that
   */
  long padding(long length) {
    long found = -1;
    for (int i = 0; i < left.length; i++) {
      int axis = loop.outputAxis(i);
      if (axis > 0) {
        Shape shape = require(i).shape();
        long here = axis < shape.rank() ? shape.dim(axis) - length : -1;
        if (here < 0 || (found >= 0 && found != here)) {
          return -1;
        }
        found = here;
      }
    }
    padding = Math.max(0, found);
    return found;
  }

  /** Returns an output, to look at. */
  Tensor look(String name) {
    return require(loop.indexOf(name));
  }

  private Tensor require(int index) {
    Tensor tensor = left[index];
    if (tensor == null) {
      throw new IllegalStateException("output " + loop.computed().get(index) + " is given away");
    }
    return tensor;
  }

  /** Returns whether no element of an output is zero. */
  boolean isSet(String name) {
    Tensor tensor = look(name);
    MemorySegment data = tensor.data();
    int size = tensor.type().byteSize();
    for (long at = 0; at < data.byteSize(); at += size) {
      if (isZero(data, at, size)) {
        return false;
      }
    }
    return data.byteSize() > 0;
  }

  private static boolean isZero(MemorySegment data, long at, int size) {
    for (int i = 0; i < size; i++) {
      if (data.get(ValueLayout.JAVA_BYTE, at + i) != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Gives an output to the next step, and keeps a copy if it is sent as well.
   *
   * @param sent names of what is sent
   */
  Tensor feed(int index, List<String> sent) {
    Tensor tensor = require(index);
    if (sent.contains(loop.computed().get(index))) {
      copies[index] = padding > 0 ? cut(index, tensor) : tensor.copy();
    }
    left[index] = null;
    return tensor;
  }

  /** Gives an output to the caller of the stream. */
  Tensor send(int index) {
    Tensor copy = copies[index];
    if (copy != null) {
      copies[index] = null;
      return copy;
    }
    Tensor tensor = require(index);
    if (padding > 0 && loop.outputAxis(index) > 0) {
      return cut(index, tensor);
    }
    left[index] = null;
    return tensor;
  }

  private Tensor cut(int index, Tensor padded) {
    int axis = loop.outputAxis(index);
    return axis > 0 ? SequencePadding.cut(padded, axis, side, padding) : padded.copy();
  }

  @Override
  public void close() {
    closeAll(left);
    closeAll(copies);
  }

  private static void closeAll(@Nullable Tensor[] tensors) {
    for (Tensor tensor : tensors) {
      if (tensor != null) {
        tensor.close();
      }
    }
  }
}
