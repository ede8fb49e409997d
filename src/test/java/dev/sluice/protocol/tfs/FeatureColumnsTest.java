package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.proto.BytesList;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.Int64List;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.Tensors;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FeatureColumnsTest {
  private static final int DAMAGED = 20_000;

  @Test
  void aColumnHasTheValuesOfEveryExample() {
    Signature signature = inputs(new TensorSpec("x", DataType.FP32, Shape.of(-1, 2)));
    read(
        signature,
        columns -> {
          assertThat(columns.getFirst().tensor().shape()).isEqualTo(Shape.of(2, 2));
          assertThat(Tensors.toFloats(columns.getFirst().tensor())).containsExactly(1, 2, 3, 4);
        },
        example("x", floats(1, 2)),
        example("x", floats(3, 4)));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.MATCH_NONE,
      names = {"BYTES", "COMPLEX.*", "QU?INT.*", "UNSUPPORTED"})
  void valuesBecomeOfTheInputsType(DataType type) {
    Feature ones = type.isFloat() ? floats(1, 0) : integers(1, 0);
    read(
        inputs(new TensorSpec("x", type, Shape.of(-1, 2))),
        columns -> {
          Tensor column = columns.getFirst().tensor();
          assertThat(column.type()).isEqualTo(type);
          float first =
              type == DataType.BOOL
                  ? column.data().get(JAVA_BYTE, 0)
                  : NumericElements.toFloat(column, 0);
          assertThat(first).isEqualTo(1);
        },
        example("x", ones));
  }

  @Test
  void textsStayTheBytesTheyAre() {
    var bytes = ByteString.copyFrom(new byte[] {(byte) 0xFF, 0});
    Feature texts =
        Feature.newBuilder().setBytesList(BytesList.newBuilder().addValue(bytes)).build();
    read(
        inputs(new TensorSpec("x", DataType.BYTES, Shape.of(-1))),
        columns -> assertThat(columns.getFirst().tensor().data().byteSize()).isEqualTo(6),
        example("x", texts));
  }

  @Test
  void anOpenDimensionIsWhatTheFirstExampleFills() {
    Signature signature = inputs(new TensorSpec("x", DataType.FP32, Shape.of(-1, -1, 2)));
    read(
        signature,
        columns -> assertThat(columns.getFirst().tensor().shape()).isEqualTo(Shape.of(2, 3, 2)),
        example("x", floats(1, 2, 3, 4, 5, 6)),
        example("x", floats(1, 2, 3, 4, 5, 6)));
    assertRefused(
        signature,
        "Name: <unknown>, Key: x, Index: 1.  Number of float values != expected.  Values size: 4"
            + " but output shape: [6]",
        example("x", floats(1, 2, 3, 4, 5, 6)),
        example("x", floats(1, 2, 3, 4)));
    assertRefused(
        signature,
        "Name: <unknown>, Key: x, Index: 0.  Number of float values != expected.  Values size: 3"
            + " but output shape: [-1,2]",
        example("x", floats(1, 2, 3)));
  }

  @Test
  void anOptionalInputIsInAllExamplesOrInNone() {
    Signature signature =
        inputs(
            new TensorSpec("x", DataType.FP32, Shape.of(-1)),
            new TensorSpec("bias", DataType.FP32, Shape.of(-1), true, "bias", "tensor(float)"));
    byte[] without = example("x", floats(1));
    byte[] with = joined(without, example("bias", floats(2)));
    read(signature, columns -> assertThat(columns).hasSize(1), without, without);
    read(signature, columns -> assertThat(columns).hasSize(2), with, with);
    String missing =
        "Name: <unknown>, Feature: bias (data type: float) is required but could not be found.";
    assertRefused(signature, missing, with, without);
    assertRefused(signature, missing, without, with);
  }

  @Test
  void valuesMayStandAlone() {
    byte[] unpacked = {8, 1, 8, 2};
    byte[] list = {(byte) (3 << 3 | 2), 4, unpacked[0], unpacked[1], unpacked[2], unpacked[3]};
    byte[] entry = {10, 1, 'x', 18, 6, list[0], list[1], list[2], list[3], list[4], list[5]};
    byte[] features = join(new byte[] {10, 11}, entry);
    read(
        inputs(new TensorSpec("x", DataType.INT64, Shape.of(-1, 2))),
        columns -> assertThat(columns.getFirst().tensor().shape()).isEqualTo(Shape.of(1, 2)),
        join(new byte[] {10, 13}, features));
  }

  @ParameterizedTest
  @CsvSource({
    "INT8, 128",
    "INT8, -129",
    "UINT8, 256",
    "UINT8, -1",
    "INT16, 32768",
    "UINT16, -1",
    "INT32, 2147483648",
    "UINT32, 4294967296",
    "UINT64, -1",
    "BOOL, 2"
  })
  void integersThatDoNotFitAreRefused(DataType type, long value) {
    assertRefused(
        inputs(new TensorSpec("x", type, Shape.of(-1))),
        "Name: <unknown>, Key: x, Index: 0.  Value %d is out of range for %s"
            .formatted(value, TensorflowTypeNames.of(type)),
        example("x", integers(value)));
  }

  @Test
  void anInputWithoutRowsTakesNoExamples() {
    Signature signature = inputs(new TensorSpec("x", DataType.FP32, Shape.SCALAR));
    assertThatThrownBy(() -> FeatureColumns.check(ExampleTask.REGRESS, signature))
        .hasMessage(
            "the model cannot regress examples: its input \"x\" is FP32[], wanted a first"
                + " dimension for the examples");
  }

  @Test
  void aDamagedExampleIsTheCallersMistakeOrAnotherExample() {
    Signature signature =
        inputs(
            new TensorSpec("x", DataType.FP32, Shape.of(-1, -1)),
            new TensorSpec("n", DataType.INT64, Shape.of(-1, 2)),
            new TensorSpec("s", DataType.BYTES, Shape.of(-1)));
    Feature text =
        Feature.newBuilder()
            .setBytesList(BytesList.newBuilder().addValue(ByteString.copyFrom("text", UTF_8)))
            .build();
    byte[] good =
        joined(example("x", floats(1, 2, 3)), example("n", integers(-1, 300)), example("s", text));
    var mutations = new Mutations(5);
    int taken = 0;
    for (int i = 0; i < DAMAGED; i++) {
      try (Tensor examples = Tensors.bytes(Shape.of(2), good, mutations.damage(good))) {
        NamedTensor.closeAll(FeatureColumns.read(signature, examples));
        taken++;
      } catch (InferenceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
    assertThat(taken).isBetween(1, DAMAGED - 1);
  }

  private static void read(
      Signature signature, Consumer<List<NamedTensor>> check, byte[]... examples) {
    try (Tensor tensor = Tensors.bytes(Shape.of(examples.length), examples)) {
      List<NamedTensor> columns = FeatureColumns.read(signature, tensor);
      check.accept(columns);
      NamedTensor.closeAll(columns);
    }
  }

  private static void assertRefused(Signature signature, String text, byte[]... examples) {
    assertThatThrownBy(() -> read(signature, _ -> {}, examples))
        .isInstanceOf(InferenceException.class)
        .hasMessage(text);
  }

  private static Signature inputs(TensorSpec... inputs) {
    return new Signature("serving_default", "", List.of(inputs), List.of());
  }

  private static byte[] example(String name, Feature feature) {
    return Example.newBuilder()
        .setFeatures(Features.newBuilder().putFeature(name, feature))
        .build()
        .toByteArray();
  }

  /** Messages behind each other are one message of all their fields. */
  private static byte[] joined(byte[]... examples) {
    return Arrays.stream(examples).reduce(new byte[0], FeatureColumnsTest::join);
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static Feature floats(float... values) {
    var list = FloatList.newBuilder();
    for (float value : values) {
      list.addValue(value);
    }
    return Feature.newBuilder().setFloatList(list).build();
  }

  private static Feature integers(long... values) {
    var list = Int64List.newBuilder();
    for (long value : values) {
      list.addValue(value);
    }
    return Feature.newBuilder().setInt64List(list).build();
  }
}
