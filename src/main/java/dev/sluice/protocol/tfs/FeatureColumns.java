package dev.sluice.protocol.tfs;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns examples into the inputs of a model that knows no examples: each input is the column of the
 * feature of its name. Owns the memory of its columns until they are built.
 *
 * <p>Where something is there twice, the last counts, as in TensorFlow's own reader; so an example
 * behind a context has the last word.
 */
final class FeatureColumns implements AutoCloseable {
  private static final int FEATURES = Example.FEATURES_FIELD_NUMBER << 3 | DELIMITED;
  private static final int FEATURE = Features.FEATURE_FIELD_NUMBER << 3 | DELIMITED;
  private static final int KEY = KEY_FIELD << 3 | DELIMITED;
  private static final int VALUE = VALUE_FIELD << 3 | DELIMITED;

  private final List<FeatureColumn> columns = new ArrayList<>();
  private final ProtobufReader in;

  private FeatureColumns(Signature signature, Tensor examples) {
    this.in = new ProtobufReader(examples.data());
    for (TensorSpec input : signature.inputs()) {
      columns.add(new FeatureColumn(input, examples));
    }
  }

  /**
   * Requires that examples can become the inputs of a signature at all.
   *
   * @throws InferenceException with INVALID_ARGUMENT that says which input is in the way
   */
  static void check(ExampleTask task, Signature signature) {
    for (TensorSpec input : signature.inputs()) {
      boolean hasRows = !input.shape().isRankKnown() || input.shape().rank() > 0;
      if (!hasRows || FeatureKind.of(input.type()) == null) {
        throw InferenceException.invalid(
            "the model cannot %s examples: its input \"%s\" is %s%s, wanted a first dimension for the examples"
                .formatted(task.verb(), input.name(), input.type(), input.shape()));
      }
    }
  }

  /**
   * Returns the inputs of a signature for which {@link #check} was right.
   *
   * @param examples a BYTES vector of serialised examples; borrowed
   * @throws InferenceException with INVALID_ARGUMENT if an example is none, or lacks a feature, or
   *     has it of another kind or length
   */
  static List<NamedTensor> read(Signature signature, Tensor examples) {
    try (var columns = new FeatureColumns(signature, examples)) {
      var elements = new BytesElements(examples);
      for (int row = 0; elements.next(); row++) {
        columns.readRow(row, elements.offset(), elements.offset() + elements.length());
      }
      return columns.build();
    } catch (ProtobufException e) {
      throw InferenceException.invalid("Could not parse example input: " + e.getMessage());
    }
  }

  private void readRow(int row, long from, long to) {
    in.seek(from, to);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == FEATURES) {
        readFeatures();
      } else {
        in.skip(tag);
      }
    }
    for (FeatureColumn column : columns) {
      column.take(row, in);
    }
  }

  private void readFeatures() {
    long outer = in.enter();
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == FEATURE) {
        readFeature();
      } else {
        in.skip(tag);
      }
    }
    in.leave(outer);
  }

  private void readFeature() {
    long outer = in.enter();
    long key = 0;
    int keyLength = 0;
    long value = in.end();
    int valueLength = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == KEY) {
        keyLength = in.length();
        key = in.position();
        in.pass(keyLength);
      } else if (tag == VALUE) {
        valueLength = in.length();
        value = in.position();
        in.pass(valueLength);
      } else {
        in.skip(tag);
      }
    }
    offer(key, keyLength, value, valueLength);
    in.leave(outer);
  }

  private void offer(long key, int keyLength, long value, int valueLength) {
    for (FeatureColumn column : columns) {
      if (column.isNamed(key, keyLength)) {
        column.found(value, valueLength);
      }
    }
  }

  private List<NamedTensor> build() {
    List<NamedTensor> inputs = new ArrayList<>(columns.size());
    for (FeatureColumn column : columns) {
      if (column.isGiven()) {
        inputs.add(column.build());
      }
    }
    return inputs;
  }

  @Override
  public void close() {
    columns.forEach(FeatureColumn::close);
  }
}
