package dev.sluice.tensor;

/**
 * A tensor under the name of the input or output it belongs to. Owns the tensor.
 *
 * @param name the input's or output's name
 * @param tensor its value
 */
public record NamedTensor(String name, Tensor tensor) implements AutoCloseable {
  @Override
  public void close() {
    tensor.close();
  }

  /** Closes every tensor of a list. */
  public static void closeAll(Iterable<NamedTensor> tensors) {
    for (NamedTensor named : tensors) {
      named.close();
    }
  }
}
