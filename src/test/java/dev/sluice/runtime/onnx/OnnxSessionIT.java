package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
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
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.NativeHeap;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OnnxSessionIT {
  private static final Path TYPES = TestModels.sample("types", "1");

  private final List<AutoCloseable> toClose = new ArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void nothingIsLeftOpen() throws Exception {
    for (AutoCloseable resource : toClose) {
      resource.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.MATCH_NONE,
      names = {"BYTES", "COMPLEX.*", "QU?INT.*", "UNSUPPORTED"})
  void everyFixedSizeTypePassesThroughUnchanged(DataType dataType) {
    checkEcho(Tensors.zerosAndOnes(dataType, Shape.of(5)));
    checkEcho(Tensors.zerosAndOnes(dataType, Shape.of(0)));
  }

  @Test
  void bytesPassThroughUnchanged() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    byte[] zero = {0};
    byte[] none = {};
    byte[] text = "Grüße, 世界".getBytes(StandardCharsets.UTF_8);
    checkEcho(Tensors.bytes(Shape.of(4), all, none, zero, text));
    checkEcho(Tensors.bytes(Shape.of(0)));
    checkEcho(Tensors.bytes(Shape.of(1), new byte[3_000_000]));
  }

  /** Each share has run options of its own: a run that is interrupted ends no other one. */
  @Test
  void sharesOfASessionRunAtOnceAndEndByThemselves() {
    ModelSession first = open(TestModels.slow());
    ModelSession second = first.share().orElseThrow();
    ModelSession third = second.share().orElseThrow();
    toClose.add(second);
    var running = CompletableFuture.runAsync(() -> runSlow(first, 1));
    first.interrupt();
    CompletableFuture<Float> other = CompletableFuture.supplyAsync(() -> runSlow(third, 3));
    assertThat(runSlow(second, 2)).isEqualTo(2);
    assertThat(other.join()).isEqualTo(3);
    assertThatThrownBy(running::join).hasRootCauseInstanceOf(InferenceException.class);
    third.close();
    first.resume();
    assertThat(runSlow(first, 4)).isEqualTo(4);
    first.close();
    assertThat(runSlow(second, 5)).isEqualTo(5);
    try (ModelSession fourth = first.share().orElseThrow()) {
      second.close();
      assertThat(runSlow(fourth, 6)).isEqualTo(6);
    }
    assertThat(first.share()).isEmpty();
  }

  private static float runSlow(ModelSession session, float x) {
    Signature signature = session.metadata().signature("").orElseThrow();
    List<NamedTensor> inputs =
        List.of(new NamedTensor("INPUT0", Tensors.floats(Shape.of(1, 1), x)));
    try {
      List<NamedTensor> outputs = session.run(signature, inputs, signature.outputs());
      float y = outputs.getFirst().tensor().data().get(ValueLayout.JAVA_FLOAT, 0);
      NamedTensor.closeAll(outputs);
      return y;
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  @Test
  void outputsComeInTheWantedOrder() {
    ModelSession session = open(TestModels.onnx("test_unique_sorted_without_axis"));
    Signature signature = session.metadata().signature("").orElseThrow();
    Tensor x = floats(Shape.of(6), 2, 1, 1, 3, 4, 3);
    List<TensorSpec> wanted =
        List.of(signature.output("counts").orElseThrow(), signature.output("Y").orElseThrow());
    List<NamedTensor> outputs = session.run(signature, List.of(new NamedTensor("X", x)), wanted);
    toClose.add(() -> NamedTensor.closeAll(outputs));
    assertThat(outputs).extracting(NamedTensor::name).containsExactly("counts", "Y");
    assertThat(Tensors.toFloats(outputs.get(1).tensor())).containsExactly(1, 2, 3, 4);
  }

  @Test
  void aModelWhoseValuesDecideAboutItsShapesIsRunWhateverRunsWereBefore() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n")
        .output("places", OnnxModelWriter.INT64, "1", "")
        .node("NonZero", "places", "x")
        .writeTo(folder);
    ModelSession session = open(folder);
    for (int i = 0; i < 3; i++) {
      assertThat(run(session, new NamedTensor("x", floats(Shape.of(3), 0, 7, 0))).shape())
          .isEqualTo(Shape.of(1, 1));
      assertThat(run(session, new NamedTensor("x", floats(Shape.of(3), 5, 0, 6))).shape())
          .isEqualTo(Shape.of(1, 2));
    }
  }

  @Test
  void aMissingOptionalInputTakesItsDefault() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n")
        .input("factor", OnnxModelWriter.FLOAT, "1")
        .initializer("factor", 3)
        .output("y", OnnxModelWriter.FLOAT, "n")
        .node("Mul", "y", "x", "factor")
        .writeTo(folder);
    ModelSession session = open(folder);
    var x = new NamedTensor("x", floats(Shape.of(2), 1, 2));
    assertThat(Tensors.toFloats(run(session, x))).containsExactly(3, 6);
    var factor = new NamedTensor("factor", floats(Shape.of(1), 5));
    assertThat(Tensors.toFloats(run(session, x, factor))).containsExactly(5, 10);
  }

  @Test
  void aSessionThatIsInterruptedRunsNothingUntilItIsResumed() throws IOException {
    ModelSession session = doubling();
    var x = new NamedTensor("x", floats(Shape.of(2), 1, 2));
    for (int i = 0; i < 3; i++) {
      session.interrupt();
      session.interrupt();
      assertThatThrownBy(() -> run(session, x))
          .asInstanceOf(type(InferenceException.class))
          .extracting(InferenceException::code)
          .isEqualTo(ErrorCode.CANCELLED);
      session.resume();
      assertThat(Tensors.toFloats(run(session, x))).containsExactly(2, 4);
    }
  }

  private ModelSession doubling() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n")
        .output("y", OnnxModelWriter.FLOAT, "n")
        .node("Add", "y", "x", "x")
        .writeTo(folder);
    return open(folder);
  }

  @Test
  void aRunUnderWayIsInterrupted() throws Exception {
    ModelSession session = open(TestModels.slow());
    var x = new NamedTensor("INPUT0", floats(Shape.of(1, 4), 1, 2, 3, 4));
    var code = new CompletableFuture<ErrorCode>();
    Thread worker = Thread.ofPlatform().start(() -> code.complete(runUntilItFails(session, x)));
    session.interrupt();
    assertThat(code.join()).isEqualTo(ErrorCode.CANCELLED);
    worker.join();
    session.resume();
  }

  /** However late the interruption comes, a run will meet it. */
  private ErrorCode runUntilItFails(ModelSession session, NamedTensor x) {
    Signature signature = session.metadata().signature("").orElseThrow();
    try {
      while (true) {
        NamedTensor.closeAll(session.run(signature, List.of(x), signature.outputs()));
      }
    } catch (InferenceException e) {
      return e.code();
    }
  }

  @Test
  void anInputThatIsAlsoTheOutputIsCopied() throws IOException {
    new OnnxModelWriter()
        .inputOfUnknownRank("x", OnnxModelWriter.FLOAT)
        .outputOfUnknownRank("x", OnnxModelWriter.FLOAT)
        .writeTo(folder);
    ModelSession session = open(folder);
    Tensor x = Tensors.floats(Shape.of(2, 1), 1, 2);
    Tensor y = run(session, new NamedTensor("x", x));
    x.close();
    assertThat(y.shape()).isEqualTo(Shape.of(2, 1));
    assertThat(Tensors.toFloats(y)).containsExactly(1, 2);
  }

  @Test
  void aConstantOutputOutlivesTheSession() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "1")
        .initializer("y", 7, 8, 9)
        .output("y", OnnxModelWriter.FLOAT, "3")
        .writeTo(folder);
    Tensor y;
    try (ModelSession session = new OnnxRuntimeProvider().open(TestModels.source(folder))) {
      y = run(session, new NamedTensor("x", floats(Shape.of(1), 1)));
    }
    assertThat(Tensors.toFloats(y)).containsExactly(7, 8, 9);
  }

  @Test
  void aComputedOutputOutlivesTheSession() {
    Tensor sum;
    try (ModelSession session = openUnmanaged(TestModels.onnx("derived_dyn_add"))) {
      sum = run(session, named("x", Shape.of(1, 4, 5)), named("y", Shape.of(1, 4, 5)));
    }
    assertThat(Tensors.toFloats(sum)).hasSize(20).containsOnly(0);
  }

  @Test
  void aShapeTheModelDoesNotTakeIsTheCallersFault() {
    ModelSession session = open(TestModels.onnx("test_add"));
    assertFails(
        session,
        ErrorCode.INVALID_ARGUMENT,
        "dimensions",
        named("x", Shape.of(3, 4, 4)),
        named("y", Shape.of(3, 4, 4)));
  }

  @Test
  void aTypeTheModelDoesNotTakeIsTheCallersFault() {
    ModelSession session = open(TestModels.onnx("test_single_relu_model"));
    Tensor x = Tensor.allocate(DataType.FP64, Shape.of(1, 2));
    toClose.add(x);
    assertFails(session, ErrorCode.INVALID_ARGUMENT, "data type", new NamedTensor("x", x));
  }

  @Test
  void anUnknownInputIsTheCallersFault() {
    ModelSession session = open(TestModels.onnx("test_add"));
    assertFails(session, ErrorCode.INVALID_ARGUMENT, "no input 'z'", named("z", Shape.of(3, 4, 5)));
  }

  @Test
  void moreOutputsThanThereAreCannotBeAskedFor() {
    ModelSession session = open(TestModels.onnx("test_single_relu_model"));
    Signature signature = session.metadata().signature("").orElseThrow();
    TensorSpec y = signature.outputs().getFirst();
    NamedTensor x = named("x", Shape.of(1, 2));
    assertThatThrownBy(() -> session.run(signature, List.of(x), List.of(y, y)))
        .hasMessage("the model has 1 inputs and 1 outputs; the request gives 1 and wants 2");
  }

  @Test
  void tooManyDimensionsAreTheCallersFault() throws IOException {
    new OnnxModelWriter()
        .inputOfUnknownRank("x", OnnxModelWriter.FLOAT)
        .outputOfUnknownRank("y", OnnxModelWriter.FLOAT)
        .node("Relu", "y", "x")
        .writeTo(folder);
    ModelSession session = open(folder);
    long[] dims = new long[300];
    assertFails(session, ErrorCode.INVALID_ARGUMENT, "300 dimensions", named("x", Shape.of(dims)));
  }

  @Test
  void shapesThatDoNotGoTogetherAreTheCallersFaultAndLeaveTheSessionUsable() {
    ModelSession session = open(TestModels.onnx("derived_dyn_matmul"));
    assertFails(
        session,
        ErrorCode.INVALID_ARGUMENT,
        "MatMul dimension mismatch",
        named("a", Shape.of(2, 3)),
        named("b", Shape.of(4, 2)));
    Tensor product = run(session, named("a", Shape.of(2, 3)), named("b", Shape.of(3, 2)));
    assertThat(product.shape()).isEqualTo(Shape.of(2, 2));
  }

  @Test
  void anOutputNoProtocolCarriesCannotBeAskedFor() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "2")
        .output("y", OnnxModelWriter.FLOAT, "2")
        .sequenceOutput("list")
        .node("Relu", "y", "x")
        .node("SequenceConstruct", "list", "x")
        .writeTo(folder);
    ModelSession session = open(folder);
    Signature signature = session.metadata().signature("").orElseThrow();
    NamedTensor x = named("x", Shape.of(2));
    assertThatThrownBy(() -> session.run(signature, List.of(x), signature.outputs()))
        .hasMessage("output 'list' is of type sequence, which no protocol here can carry");
    List<TensorSpec> wanted = List.of(signature.output("y").orElseThrow());
    NamedTensor.closeAll(session.run(signature, List.of(x), wanted));
  }

  @Test
  void listsOfMapsComeAsTheirTwoHalves() {
    ModelSession session = open(TestModels.tabular().resolve("flowers_zipmap/1"));
    Signature signature = session.metadata().signature("").orElseThrow();
    assertThat(signature.outputs())
        .extracting(TensorSpec::name, TensorSpec::type)
        .containsExactly(
            tuple("output_label", DataType.BYTES),
            tuple("output_probability", DataType.FP32),
            tuple("output_probability_classes", DataType.BYTES));
    Tensor x = floats(Shape.of(2, 4), 1, 2, 3, 0, 6, 5, 4, 0);
    for (List<TensorSpec> wanted : List.of(signature.outputs(), signature.outputs().reversed())) {
      List<NamedTensor> outputs = session.run(signature, List.of(new NamedTensor("X", x)), wanted);
      toClose.add(() -> NamedTensor.closeAll(outputs));
      assertThat(outputs)
          .extracting(NamedTensor::name)
          .containsExactlyElementsOf(wanted.stream().map(TensorSpec::name).toList());
      assertThat(Tensors.toFloats(outputs.get(1).tensor())).containsExactly(1, 2, 3, 6, 5, 4);
    }
    List<NamedTensor> none =
        session.run(
            signature,
            List.of(new NamedTensor("X", floats(Shape.of(0, 4)))),
            signature.outputs().subList(1, 3));
    toClose.add(() -> NamedTensor.closeAll(none));
    assertThat(none).allSatisfy(each -> assertThat(each.tensor().elementCount()).isZero());
  }

  @Test
  void manyRunsOfManyShapesLeaveNothingBehind() {
    ModelSession session = open(TestModels.onnx("derived_dyn_add"));
    Signature signature = session.metadata().signature("").orElseThrow();
    long open = TensorMemory.openBlocks();
    long openBytes = TensorMemory.openBytes();
    // Until what is kept for reuse is there, and the code is compiled.
    runWithEveryRowCount(session, signature, 60_000);
    long allocated = NativeHeap.allocatedBytes();
    runWithEveryRowCount(session, signature, 90_000);
    assertThat(TensorMemory.openBlocks()).isEqualTo(open);
    assertThat(TensorMemory.openBytes()).isEqualTo(openBytes);
    assertThat(NativeHeap.allocatedBytes() - allocated).isLessThan(32L * 1024 * 1024);
  }

  @Test
  void aClosedSessionRefusesToRun() {
    ModelSession session = openUnmanaged(TestModels.onnx("test_single_relu_model"));
    session.close();
    session.close();
    assertThatThrownBy(() -> run(session, named("x", Shape.of(1, 2))))
        .isInstanceOf(IllegalStateException.class);
  }

  private static void runWithEveryRowCount(ModelSession session, Signature signature, int runs) {
    for (int i = 0; i < runs; i++) {
      Shape shape = Shape.of(i % 97, 4, 5);
      try (Tensor x = Tensor.allocate(DataType.FP32, shape);
          Tensor y = Tensor.allocate(DataType.FP32, shape)) {
        var inputs = List.of(new NamedTensor("x", x), new NamedTensor("y", y));
        NamedTensor.closeAll(session.run(signature, inputs, signature.outputs()));
      }
    }
  }

  /** Sends a tensor through the model that has an input and an output of each type. */
  private void checkEcho(Tensor tensor) {
    toClose.add(tensor);
    String name = tensor.type().name().toLowerCase(Locale.ROOT);
    ModelSession session = open(TYPES);
    Signature signature = session.metadata().signature("").orElseThrow();
    var inputs = new ArrayList<NamedTensor>();
    for (TensorSpec spec : signature.inputs()) {
      inputs.add(new NamedTensor(spec.name(), spec.name().equals(name) ? tensor : empty(spec)));
    }
    List<TensorSpec> wanted = List.of(signature.output(name + "_out").orElseThrow());
    List<NamedTensor> outputs = session.run(signature, inputs, wanted);
    toClose.add(() -> NamedTensor.closeAll(outputs));
    Tensors.assertSame(outputs.getFirst().tensor(), tensor);
  }

  private Tensor empty(TensorSpec spec) {
    Tensor tensor =
        spec.type() == DataType.BYTES
            ? Tensors.bytes(Shape.of(0))
            : Tensor.allocate(spec.type(), Shape.of(0));
    toClose.add(tensor);
    return tensor;
  }

  private ModelSession open(Path model) {
    ModelSession session = openUnmanaged(model);
    toClose.add(session);
    return session;
  }

  private static ModelSession openUnmanaged(Path model) {
    return new OnnxRuntimeProvider().open(TestModels.source(model));
  }

  /** Runs for the first declared output. */
  private Tensor run(ModelSession session, NamedTensor... inputs) {
    Signature signature = session.metadata().signature("").orElseThrow();
    List<NamedTensor> outputs =
        session.run(signature, List.of(inputs), signature.outputs().subList(0, 1));
    toClose.add(() -> NamedTensor.closeAll(outputs));
    return outputs.getFirst().tensor();
  }

  private void assertFails(
      ModelSession session, ErrorCode code, String text, NamedTensor... inputs) {
    assertThatThrownBy(() -> run(session, inputs))
        .asInstanceOf(type(InferenceException.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(code))
        .satisfies(e -> assertThat(e.getMessage()).contains(text));
  }

  /** Zeros. */
  private NamedTensor named(String name, Shape shape) {
    Tensor tensor = Tensor.allocate(DataType.FP32, shape);
    tensor.data().fill((byte) 0);
    toClose.add(tensor);
    return new NamedTensor(name, tensor);
  }

  private Tensor floats(Shape shape, float... values) {
    Tensor tensor = Tensors.floats(shape, values);
    toClose.add(tensor);
    return tensor;
  }
}
