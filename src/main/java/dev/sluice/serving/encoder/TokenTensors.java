package dev.sluice.serving.encoder;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.text.TokenSequence;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Tokens as the inputs of a model: rows of the longest one's length, the others padded behind.
 *
 * @param rows at least one
 * @param padToken which rows are padded with; the mask hides it
 */
record TokenTensors(List<TokenSequence> rows, long padToken) {
  /** Returns the inputs that a signature wants, the caller's to close. */
  List<NamedTensor> inputs(List<TensorSpec> specs) {
    int length = rows.stream().mapToInt(TokenSequence::length).max().orElseThrow();
    var inputs = new ArrayList<NamedTensor>(specs.size());
    try {
      for (TensorSpec spec : specs) {
        if (!spec.optional()) {
          inputs.add(new NamedTensor(spec.name(), tensor(spec, length)));
        }
      }
      return inputs;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(inputs);
      throw e;
    }
  }

  private Tensor tensor(TensorSpec spec, int length) {
    Tensor tensor = Tensor.allocate(spec.type(), Shape.of(rows.size(), length));
    long index = 0;
    for (TokenSequence row : rows) {
      for (int i = 0; i < length; i++) {
        put(tensor, index++, element(spec.name(), row, i));
      }
    }
    return tensor;
  }

  private long element(String name, TokenSequence row, int place) {
    boolean there = place < row.length();
    return switch (name) {
      case EncoderGraph.IDS -> there ? row.ids()[place] : padToken;
      case EncoderGraph.TYPES -> there ? row.types()[place] : 0;
      case EncoderGraph.POSITIONS -> place;
      default -> there ? 1 : 0;
    };
  }

  private static void put(Tensor tensor, long index, long value) {
    if (tensor.type() == DataType.INT64) {
      tensor.data().setAtIndex(ValueLayout.JAVA_LONG, index, value);
    } else {
      tensor.data().setAtIndex(ValueLayout.JAVA_INT, index, (int) value);
    }
  }
}
