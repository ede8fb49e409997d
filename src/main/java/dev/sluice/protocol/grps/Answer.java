package dev.sluice.protocol.grps;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.List;

/**
 * The form in which a model's outputs go back. It is the form of the request where that can carry
 * them, so that text is answered with text:
 *
 * <ul>
 *   <li>{@code str_data} gets the one text among the outputs as {@code str_data}, also if there are
 *       numbers beside it: a language detector asked with a text names the language. Whoever wants
 *       its score as well asks with gtensors or gmap. Without a text, or with several, gtensors.
 *   <li>{@code bin_data} (an octet stream) gets the only output as bytes; several come as gtensors.
 *   <li>{@code gmap} gets a gmap if every output has one element, else gtensors.
 *   <li>{@code gtensors} and {@code ndarray} get gtensors.
 * </ul>
 *
 * <p>Borrows the tensors.
 */
public sealed interface Answer {
  /** The one element of a BYTES tensor, which is UTF-8. */
  record Text(Tensor tensor) implements Answer {}

  /** The one element of a BYTES tensor, or all elements of another, little-endian. */
  record Bytes(Tensor tensor) implements Answer {}

  record Tensors(List<NamedTensor> tensors) implements Answer {}

  /** Tensors of one element each. */
  record Entries(List<NamedTensor> tensors) implements Answer {}

  /** Chooses the form. */
  static Answer of(DataForm asked, List<NamedTensor> outputs) {
    return switch (asked) {
      case TEXT -> text(outputs);
      case BYTES -> bytes(outputs);
      case MAP ->
          outputs.stream().allMatch(Answer::isSingle) ? new Entries(outputs) : new Tensors(outputs);
      case TENSORS, NDARRAY -> new Tensors(outputs);
    };
  }

  private static Answer text(List<NamedTensor> outputs) {
    List<NamedTensor> texts =
        outputs.stream().filter(output -> output.tensor().type() == DataType.BYTES).toList();
    if (texts.size() != 1 || !isSingle(texts.getFirst())) {
      return new Tensors(outputs);
    }
    Tensor tensor = texts.getFirst().tensor();
    var element = new BytesElements(tensor);
    element.next();
    // What is not text can only be sent as bytes.
    return Utf8.isValid(element) ? new Text(tensor) : new Bytes(tensor);
  }

  private static Answer bytes(List<NamedTensor> outputs) {
    if (outputs.size() != 1) {
      return new Tensors(outputs);
    }
    NamedTensor only = outputs.getFirst();
    boolean whole = only.tensor().type() != DataType.BYTES || isSingle(only);
    return whole ? new Bytes(only.tensor()) : new Tensors(outputs);
  }

  private static boolean isSingle(NamedTensor output) {
    return output.tensor().elementCount() == 1;
  }
}
