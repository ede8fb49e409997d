package dev.sluice.runtime.tensorflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.NativeHeap;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorflowSessionIT {
  private static final String DEFAULT = Signature.DEFAULT;

  private final List<AutoCloseable> toClose = new ArrayList<>();

  @AfterEach
  void nothingIsLeftOpen() throws Exception {
    for (AutoCloseable resource : toClose) {
      resource.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"half_plus_two", "half_plus_two_resource_vars", "half_plus_two_tf2"})
  void computesHalfPlusTwo(String model) {
    ModelSession session = open(model, "00000123");
    Tensor y = run(session, DEFAULT, floats("x", Shape.of(3), 1, 2, 5));
    assertThat(Tensors.toFloats(y)).containsExactly(2.5f, 3, 4.5f);
    assertThat(y.shape()).isEqualTo(Shape.of(3));
  }

  @Test
  void declaredShapesDoNotBind() {
    ModelSession session = open("half_plus_two", "00000123");
    Tensor y = run(session, DEFAULT, floats("x", Shape.of(1, 2, 2), 0, 2, 4, 6));
    assertThat(y.shape()).isEqualTo(Shape.of(1, 2, 2));
    assertThat(run(session, DEFAULT, floats("x", Shape.of(0, 1))).shape())
        .isEqualTo(Shape.of(0, 1));
    assertThat(run(session, DEFAULT, floats("x", Shape.SCALAR, 8)).shape()).isEqualTo(Shape.SCALAR);
  }

  @Test
  void aMissingInputTakesItsDefault() {
    ModelSession session = open("half_plus_two_tf2", "00000123");
    assertThat(Tensors.toFloats(run(session, DEFAULT))).containsExactly(2);
    assertThat(Tensors.toFloats(run(session, DEFAULT, floats("x", Shape.of(1), 4))))
        .containsExactly(4);
    assertThat(Tensors.toFloats(run(session, DEFAULT))).containsExactly(2);
  }

  @Test
  void variablesKeepWhatARunLeavesAndOutputsDoNotFollow() {
    ModelSession session = open("counter", "00000123");
    Tensor zero = run(session, "get_counter");
    Tensor one = run(session, "incr_counter");
    Tensor four = run(session, "incr_counter_by", floats("delta", Shape.SCALAR, 3));
    Tensor four2 = run(session, "get_counter");
    Tensor reset = run(session, "reset_counter");
    assertThat(Tensors.toFloats(zero)).containsExactly(0);
    assertThat(Tensors.toFloats(one)).containsExactly(1);
    assertThat(Tensors.toFloats(four)).containsExactly(4);
    assertThat(Tensors.toFloats(four2)).containsExactly(4);
    assertThat(Tensors.toFloats(reset)).containsExactly(0);
    assertThat(four.shape()).isEqualTo(Shape.SCALAR);
  }

  @ParameterizedTest
  @CsvSource({
    "f32, FP32",
    "f64, FP64",
    "i8, INT8",
    "u8, UINT8",
    "i16, INT16",
    "i32, INT32",
    "i64, INT64",
    "u16, UINT16",
    "u32, UINT32",
    "u64, UINT64",
    "b, BOOL",
    "f16, FP16",
    "bf16, BF16"
  })
  void everyFixedSizeTypePassesThroughUnchanged(String name, DataType dataType) {
    ModelSession session = open("typed_io", "1");
    for (Shape shape : List.of(Shape.of(5), Shape.of(0), Shape.SCALAR, Shape.of(2, 0, 3))) {
      Tensor x = Tensors.zerosAndOnes(dataType, shape);
      Tensor y = run(session, "echo_" + name, new NamedTensor("x", x));
      Tensors.assertSame(y, x);
      x.close();
      assertThat(y.data().byteSize()).isEqualTo(shape.elementCount() * dataType.byteSize());
    }
  }

  @Test
  void bytesPassThroughUnchanged() {
    ModelSession session = open("typed_io", "1");
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    byte[] zero = {0};
    byte[] none = {};
    byte[] text = "Grüße, 世界".getBytes(StandardCharsets.UTF_8);
    checkEcho(session, Tensors.bytes(Shape.of(2, 2), all, none, zero, text));
    checkEcho(session, Tensors.bytes(Shape.of(0)));
    checkEcho(session, Tensors.bytes(Shape.SCALAR, new byte[3_000_000]));
  }

  @Test
  void examplesAreForwardedAsTheyAre() {
    ModelSession session = open("half_plus_two", "00000123");
    // A tensorflow.Example that holds x = [4].
    byte[] example = {10, 15, 10, 13, 10, 1, 'x', 18, 8, 18, 6, 10, 4, 0, 0, (byte) 0x80, 0x40};
    Tensor examples = Tensors.bytes(Shape.of(2), example, example);
    toClose.add(examples);
    Tensor y = run(session, "regress_x_to_y", new NamedTensor("inputs", examples));
    assertThat(y.shape()).isEqualTo(Shape.of(2, 1));
    assertThat(Tensors.toFloats(y)).containsExactly(4, 4);
  }

  @Test
  void outputsComeInTheWantedOrder() {
    ModelSession session = open("typed_io", "1");
    Signature signature = session.metadata().signature("with_scalar").orElseThrow();
    List<NamedTensor> outputs =
        session.run(
            signature,
            List.of(floats("x", Shape.of(2), 1, 2)),
            List.of(signature.output("total").orElseThrow(), signature.output("y").orElseThrow()));
    toClose.add(() -> NamedTensor.closeAll(outputs));
    assertThat(outputs).extracting(NamedTensor::name).containsExactly("total", "y");
    assertThat(Tensors.toFloats(outputs.get(0).tensor())).containsExactly(3);
    assertThat(Tensors.toFloats(outputs.get(1).tensor())).containsExactly(1, 2);
  }

  @Test
  void twoOutputsMayBeTheSameTensor() {
    ModelSession session = open("typed_io", "1");
    Signature signature = session.metadata().signature("").orElseThrow();
    Tensor text = Tensors.texts(Shape.of(1), "same");
    toClose.add(text);
    List<NamedTensor> outputs =
        session.run(signature, List.of(new NamedTensor("text", text)), signature.outputs());
    toClose.add(() -> NamedTensor.closeAll(outputs));
    assertThat(outputs).hasSize(2);
    outputs.forEach(output -> Tensors.assertSame(output.tensor(), text));
  }

  @Test
  void outputsOutliveTheSession() {
    Tensor y;
    try (ModelSession session = openUnmanaged("half_plus_two", "00000123")) {
      y = run(session, DEFAULT, floats("x", Shape.of(2), 0, 2));
    }
    assertThat(Tensors.toFloats(y)).containsExactly(2, 3);
  }

  @Test
  void aTypeTheGraphDoesNotTakeIsTheCallersFault() {
    ModelSession session = open("half_plus_three", "00000123");
    assertFails(
        session,
        ErrorCode.INVALID_ARGUMENT,
        "Expects arg[0] to be string but float is provided",
        "tensorflow/serving/regress",
        floats("inputs", Shape.SCALAR, 1));
  }

  @Test
  void aMissingInputIsTheCallersFault() {
    ModelSession session = open("half_plus_two", "00000123");
    assertFails(session, ErrorCode.INVALID_ARGUMENT, "", DEFAULT);
  }

  @Test
  void anUnknownInputIsTheCallersFault() {
    ModelSession session = open("half_plus_two", "00000123");
    assertFails(
        session, ErrorCode.INVALID_ARGUMENT, "no input 'z'", DEFAULT, floats("z", Shape.of(1), 1));
  }

  @Test
  void anExampleThatCannotBeReadIsTheCallersFault() {
    ModelSession session = open("half_plus_two", "00000123");
    Tensor inputs = Tensors.texts(Shape.of(1), "no example");
    toClose.add(inputs);
    assertFails(
        session,
        ErrorCode.INVALID_ARGUMENT,
        "Could not parse example input",
        "regress_x_to_y",
        new NamedTensor("inputs", inputs));
  }

  @Test
  void tooManyDimensionsAreTheCallersFault() {
    ModelSession session = open("half_plus_two", "00000123");
    Tensor x = Tensors.floats(Shape.of(new long[300]));
    toClose.add(x);
    assertFails(
        session, ErrorCode.INVALID_ARGUMENT, "300 dimensions", DEFAULT, new NamedTensor("x", x));
  }

  @Test
  void anOutputNoProtocolCarriesCannotBeAskedFor() {
    assertFails(
        open("half_plus_two_tf2", "00000123"),
        ErrorCode.UNIMPLEMENTED,
        "no protocol here can carry",
        "__saved_model_init_op");
  }

  @Test
  void aClosedSessionRefusesToRun() {
    ModelSession session = openUnmanaged("counter", "00000123");
    session.close();
    session.close();
    assertThatThrownBy(() -> run(session, "get_counter")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void manyRunsOfManyShapesLeaveNothingBehind() {
    ModelSession session = open("typed_io", "1");
    Signature numbers = session.metadata().signature("echo_f32").orElseThrow();
    Signature strings = session.metadata().signature("echo_s").orElseThrow();
    long open = TensorMemory.openBlocks();
    // Until what is kept for reuse is there, and the code is compiled.
    runWithManyShapes(session, numbers, strings, 25_000);
    long allocated = NativeHeap.allocatedBytes();
    runWithManyShapes(session, numbers, strings, 50_000);
    assertThat(TensorMemory.openBlocks()).isEqualTo(open);
    assertThat(NativeHeap.allocatedBytes() - allocated).isLessThan(32L * 1024 * 1024);
  }

  private static void runWithManyShapes(
      ModelSession session, Signature numbers, Signature strings, int runs) {
    byte[] text = new byte[300];
    for (int i = 0; i < runs; i++) {
      try (Tensor x = Tensor.allocate(DataType.FP32, Shape.of(i % 97, 20));
          Tensor s = Tensors.bytes(Shape.of(1), text)) {
        NamedTensor.closeAll(
            session.run(numbers, List.of(new NamedTensor("x", x)), numbers.outputs()));
        NamedTensor.closeAll(
            session.run(strings, List.of(new NamedTensor("x", s)), strings.outputs()));
      }
    }
  }

  private void checkEcho(ModelSession session, Tensor x) {
    toClose.add(x);
    Tensors.assertSame(run(session, "echo_s", new NamedTensor("x", x)), x);
  }

  private ModelSession open(String model, String version) {
    ModelSession session = openUnmanaged(model, version);
    toClose.add(session);
    return session;
  }

  private static ModelSession openUnmanaged(String model, String version) {
    return new TensorflowRuntimeProvider()
        .open(TestModels.source(TestModels.savedModel(model, version)));
  }

  /** Runs for the first declared output. */
  private Tensor run(ModelSession session, String signatureName, NamedTensor... inputs) {
    Signature signature = session.metadata().signature(signatureName).orElseThrow();
    List<NamedTensor> outputs =
        session.run(signature, List.of(inputs), signature.outputs().subList(0, 1));
    toClose.add(() -> NamedTensor.closeAll(outputs));
    return outputs.getFirst().tensor();
  }

  private void assertFails(
      ModelSession session,
      ErrorCode code,
      String text,
      String signatureName,
      NamedTensor... inputs) {
    assertThatThrownBy(() -> run(session, signatureName, inputs))
        .asInstanceOf(type(InferenceException.class))
        .satisfies(e -> assertThat(e.getMessage()).contains(text))
        .satisfies(e -> assertThat(e.code()).isEqualTo(code));
  }

  private NamedTensor floats(String name, Shape shape, float... values) {
    Tensor tensor = Tensors.floats(shape, values);
    toClose.add(tensor);
    return new NamedTensor(name, tensor);
  }
}
