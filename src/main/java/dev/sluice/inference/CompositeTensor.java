package dev.sluice.inference;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * An input or output of a SavedModel that is several tensors: a sparse or a ragged one. Requests
 * and answers carry its components, each under a name of its own.
 *
 * @param kind what it is, for texts: {@code sparse tensor}
 * @param components the names of its components, in the order of the model's format
 * @param declaration what the model says of it, a serialized TensorInfo. Read-only; read a
 *     duplicate
 */
public record CompositeTensor(String kind, List<String> components, ByteBuffer declaration) {
  public CompositeTensor {
    components = List.copyOf(components);
  }
}
