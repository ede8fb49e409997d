package dev.sluice.runtime.isolation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.IsolatedModels;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.OnnxTensorFile;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions in processes of their own, beside the same ones in this process. */
@Timeout(120)
class IsolatedSessionIT {
  private static final int EVERY = 7;

  private final long mappedBefore = IsolatedModels.mappings();
  private final List<AutoCloseable> toClose = new ArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void nothingIsLeft() throws Exception {
    for (AutoCloseable resource : toClose) {
      resource.close();
    }
    assertThat(IsolatedModels.mappings()).isEqualTo(mappedBefore);
    assertThat(IsolatedModels.of(ProcessHandle.current())).isEmpty();
    assertThat(IsolatedModels.files(ProcessHandle.current().pid())).isEmpty();
  }

  private ModelSession keep(ModelSession session) {
    toClose.addFirst(session);
    return session;
  }

  private static Signature signature(ModelSession session) {
    return session.metadata().signatures().values().iterator().next();
  }

  private static List<NamedTensor> run(ModelSession session, NamedTensor... inputs) {
    Signature signature = signature(session);
    return session.run(signature, List.of(inputs), signature.outputs());
  }

  private static void assertSameBits(List<NamedTensor> actual, List<NamedTensor> expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.size(); i++) {
      Tensor one = actual.get(i).tensor();
      Tensor other = expected.get(i).tensor();
      assertThat(actual.get(i).name()).isEqualTo(expected.get(i).name());
      assertThat(one.type()).isEqualTo(other.type());
      assertThat(one.shape()).isEqualTo(other.shape());
      assertThat(one.data().mismatch(other.data())).isEqualTo(-1);
    }
    NamedTensor.closeAll(actual);
    NamedTensor.closeAll(expected);
  }

  static List<Path> models() throws IOException {
    List<Path> all = TestModels.allOnnx();
    return IntStream.range(0, all.size()).filter(i -> i % EVERY == 0).mapToObj(all::get).toList();
  }

  @ParameterizedTest
  @MethodSource("models")
  void recordedModelGivesTheSameBitsAsInThisProcess(Path model) throws IOException {
    ModelSession isolated = keep(IsolatedModels.open(model));
    ModelSession here = keep(new OnnxRuntimeProvider().open(TestModels.source(model)));
    assertThat(isolated.metadata()).isEqualTo(here.metadata());
    for (Path dataSet : TestModels.dataSets(model)) {
      List<NamedTensor> inputs = new ArrayList<>();
      for (Path file : TestModels.recorded(dataSet, "input")) {
        String name = signature(here).inputs().get(inputs.size()).name();
        inputs.add(new NamedTensor(name, OnnxTensorFile.read(file)));
      }
      NamedTensor[] given = inputs.toArray(NamedTensor[]::new);
      assertSameBits(run(isolated, given), run(here, given));
      NamedTensor.closeAll(inputs);
    }
  }

  @Test
  void everyTypePassesThroughUnchangedInEverySize() {
    Path types = TestModels.sample("types", "1");
    ModelSession isolated = keep(IsolatedModels.open(types));
    ModelSession here = keep(new OnnxRuntimeProvider().open(TestModels.source(types)));
    Signature signature = signature(here);
    // Small ones are copied out of shared memory, large ones stay there.
    for (long elements : new long[] {0, 1, 5, 4_000, 300_000, 5}) {
      List<NamedTensor> inputs =
          signature.inputs().stream()
              .map(spec -> new NamedTensor(spec.name(), tensor(spec.type(), elements)))
              .toList();
      assertSameBits(
          isolated.run(signature, inputs, signature.outputs()),
          here.run(signature, inputs, signature.outputs()));
      NamedTensor.closeAll(inputs);
    }
  }

  private static Tensor tensor(DataType type, long elements) {
    return type == DataType.BYTES
        ? Tensors.bytes(Shape.of(2), new byte[(int) elements], new byte[] {1, 0, 2})
        : Tensors.zerosAndOnes(type, Shape.of(elements));
  }

  @Test
  void savedModelGivesTheSameBitsByEachSignature() {
    Path model = TestModels.sample("half_plus_two", "1");
    ModelSession isolated = keep(IsolatedModels.open(model));
    ModelSession here = keep(new TensorflowRuntimeProvider().open(TestModels.source(model)));
    assertThat(isolated.metadata()).isEqualTo(here.metadata());
    try (Tensor x = Tensors.floats(Shape.of(3), 1, -2.5f, 1e30f)) {
      for (Signature signature : here.metadata().signatures().values()) {
        String input = signature.inputs().getFirst().name();
        if (signature.inputs().getFirst().type() == DataType.FP32) {
          var given = List.of(new NamedTensor(input, x));
          assertSameBits(
              isolated.run(signature, given, signature.outputs()),
              here.run(signature, given, signature.outputs()));
        }
      }
    }
  }

  @Test
  void outputOfARunIsReadInPlaceByTheNext() throws IOException {
    ModelSession session = keep(IsolatedModels.open(doubling()));
    List<NamedTensor> held = run(session, new NamedTensor("x", ones(1 << 20)));
    long mapped = IsolatedModels.mappings();
    for (int i = 0; i < 4; i++) {
      List<NamedTensor> next = run(session, new NamedTensor("x", held.getFirst().tensor()));
      NamedTensor.closeAll(held);
      held = next;
    }
    assertThat(held.getFirst().tensor().data().get(Tensors.FLOAT, 4)).isEqualTo(32);
    // Two regions take turns: one is read, one is written.
    assertThat(IsolatedModels.mappings()).isLessThanOrEqualTo(mapped + 1);
    NamedTensor.closeAll(held);
  }

  private Path doubling() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "n")
        .output("y", OnnxModelWriter.FLOAT, "n")
        .node("Add", "y", "x", "x")
        .writeTo(folder);
    return folder;
  }

  private Tensor ones(int count) {
    Tensor tensor = Tensor.allocate(DataType.FP32, Shape.of(count));
    for (long i = 0; i < count; i++) {
      tensor.data().setAtIndex(Tensors.FLOAT, i, 1);
    }
    toClose.add(tensor);
    return tensor;
  }

  @Test
  void outputsOutliveTheirSession() throws IOException {
    ModelSession session = IsolatedModels.open(doubling());
    List<NamedTensor> outputs = run(session, new NamedTensor("x", ones(1 << 20)));
    session.close();
    assertThat(outputs.getFirst().tensor().data().getAtIndex(Tensors.FLOAT, 1 << 19)).isEqualTo(2);
    NamedTensor.closeAll(outputs);
  }

  @Test
  void manyRunsOfChangingSizesKeepFewMappings() throws IOException {
    ModelSession session = keep(IsolatedModels.open(doubling()));
    for (int i = 1; i < 200; i++) {
      NamedTensor.closeAll(run(session, new NamedTensor("x", ones(i * 5_000))));
    }
    assertThat(IsolatedModels.mappings()).isLessThan(mappedBefore + 24);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          KILL | signal 9 (SIGKILL)
          ABRT | signal 6 (SIGABRT)
          SEGV | a crash: SIGSEGV
          """)
  void runWhoseProcessDiesIsRetryableAndSaysWhy(String signal, String cause) throws Exception {
    LoopModel.write(folder, "loop");
    ModelSession session = keep(IsolatedModels.open(folder.resolve("loop/1")));
    var running = async(() -> failure(session, Long.MAX_VALUE));
    ProcessHandle process = session.process().orElseThrow();
    awaitWork(process);
    IsolatedModels.signal(process, signal);
    InferenceException failed = running.get(30, TimeUnit.SECONDS);
    assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failed.mayRetry()).isTrue();
    assertThat(failed).hasMessageContaining("model 'test/1'").hasMessageContaining(cause);
    assertThat(session.ended().toCompletableFuture().get(1, TimeUnit.SECONDS)).contains(cause);
    assertThat(failure(session, 1).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  /** Runs something beside the test, on a thread of its own. */
  private static <T> CompletableFuture<T> async(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, runnable -> Thread.ofPlatform().start(runnable));
  }

  private static InferenceException failure(ModelSession session, long steps) {
    try (Tensor input = Tensors.integers(Shape.SCALAR, steps)) {
      return catchThrowableOfType(
          InferenceException.class, () -> run(session, new NamedTensor("steps", input)));
    }
  }

  /** Waits until a process has computed for some time after its model was opened. */
  private static void awaitWork(ProcessHandle process) {
    Duration begun = cpu(process);
    while (cpu(process).minus(begun).toMillis() < 100) {
      Thread.onSpinWait();
    }
  }

  private static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElseThrow();
  }

  @Test
  void deathBetweenTwoRunsIsNoticedByItself() throws Exception {
    ModelSession session = keep(IsolatedModels.open(doubling()));
    IsolatedModels.signal(session.process().orElseThrow(), "KILL");
    assertThat(session.ended().toCompletableFuture().get(10, TimeUnit.SECONDS))
        .isEqualTo("its process ended with signal 9 (SIGKILL)");
  }

  @Test
  void runThatIsInterruptedEndsAndTheProcessStays() {
    ModelSession session = keep(IsolatedModels.open(TestModels.slow()));
    Signature signature = signature(session);
    session.interrupt();
    try (Tensor input = zeros(signature)) {
      var named = new NamedTensor(signature.inputs().getFirst().name(), input);
      assertThat(catchThrowableOfType(InferenceException.class, () -> run(session, named)).code())
          .isEqualTo(ErrorCode.CANCELLED);
      session.resume();
      NamedTensor.closeAll(run(session, named));
      var cancelled = async(() -> runUntilItFails(session, named));
      session.interrupt();
      assertThat(cancelled.join().code()).isEqualTo(ErrorCode.CANCELLED);
      session.resume();
      NamedTensor.closeAll(run(session, named));
    }
    assertThat(session.process().orElseThrow().isAlive()).isTrue();
  }

  /** However late the interruption comes, a run will meet it. */
  private static InferenceException runUntilItFails(ModelSession session, NamedTensor input) {
    while (true) {
      try {
        NamedTensor.closeAll(run(session, input));
      } catch (InferenceException e) {
        return e;
      }
    }
  }

  private static Tensor zeros(Signature signature) {
    var spec = signature.inputs().getFirst();
    long[] dims = spec.shape().dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = Math.max(1, dims[i]);
    }
    Tensor tensor = Tensor.allocate(spec.type(), Shape.of(dims));
    tensor.data().fill((byte) 0);
    return tensor;
  }

  @Test
  void runThatDoesNotEndWhenItIsInterruptedIsEndedWithItsProcess() throws IOException {
    LoopModel.write(folder, "loop");
    ModelSession session =
        keep(IsolatedModels.open(folder.resolve("loop/1"), 0, Duration.ofMillis(200)));
    var running = async(() -> failure(session, Long.MAX_VALUE));
    awaitWork(session.process().orElseThrow());
    session.interrupt();
    assertThat(running.join().code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(running.join()).hasMessageContaining("did not end in 200 ms");
  }

  @Test
  void interruptionThatComesAfterTheRunKillsNothing() throws Exception {
    ModelSession session = keep(IsolatedModels.open(doubling(), 0, Duration.ofMillis(50)));
    for (int i = 0; i < 20; i++) {
      NamedTensor.closeAll(run(session, new NamedTensor("x", ones(1))));
      session.interrupt();
      session.resume();
    }
    var ended = session.ended().toCompletableFuture().orTimeout(300, TimeUnit.MILLISECONDS);
    assertThat(ended.handle((why, _) -> why == null).get()).isTrue();
    NamedTensor.closeAll(run(session, new NamedTensor("x", ones(1))));
  }

  @Test
  void processHasNoSecretsNoSocketsAndIsTheFirstToGoWhenMemoryRunsOut() throws IOException {
    ModelSession session = keep(IsolatedModels.open(doubling()));
    Path process = Path.of("/proc", Long.toString(session.process().orElseThrow().pid()));
    String environment = Files.readString(process.resolve("environ"), StandardCharsets.UTF_8);
    assertThat(environment.split("\0"))
        .allMatch(variable ->
            variable.isEmpty()
                || variable.matches("(PATH|LANG|LC_ALL|TZ|TMPDIR|LD_[A-Z_]+)=.*")
                || variable.matches("(TF|ORT|OMP|KMP|MKL|ONEDNN|DNNL|CUDA|MALLOC|GLIBC)_.*"));
    try (var descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        assertThat(Files.readSymbolicLink(descriptor).toString()).doesNotStartWith("socket:");
      }
    }
    assertThat(score(process)).isGreaterThan(score(Path.of("/proc/self")));
  }

  private static int score(Path process) throws IOException {
    return Integer.parseInt(Files.readString(process.resolve("oom_score_adj")).strip());
  }

  @Test
  void sharedMemoryHasNoNameWhileItIsUsedAndCountsAsTensors() throws IOException {
    ModelSession session = keep(IsolatedModels.open(doubling()));
    long before = TensorMemory.openBytes();
    List<NamedTensor> outputs = run(session, new NamedTensor("x", ones(1 << 20)));
    assertThat(IsolatedModels.files(ProcessHandle.current().pid())).isEmpty();
    assertThat(IsolatedModels.mappings()).isGreaterThan(mappedBefore);
    assertThat(TensorMemory.openBytes() - before).isGreaterThanOrEqualTo(2 * (4L << 20));
    NamedTensor.closeAll(outputs);
  }

  @Test
  void requestForMoreMemoryThanItsProcessMayTakeIsRefusedAndTheNextOneRuns() throws IOException {
    new OnnxModelWriter()
        .input("size", OnnxModelWriter.INT64, "1")
        .output("y", OnnxModelWriter.FLOAT, "n")
        .node("ConstantOfShape", "x", "size")
        .node("Neg", "y", "x")
        .writeTo(folder);
    ModelSession session = keep(IsolatedModels.open(folder, 200L << 20, Duration.ofSeconds(10)));
    assertThat(sized(session, 10).getFirst().tensor().elementCount()).isEqualTo(10);
    InferenceException refused =
        catchThrowableOfType(InferenceException.class, () -> sized(session, 250_000_000));
    assertThat(refused.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    assertThat(refused).hasMessageContaining("more memory than there is");
    assertThat(sized(session, 100_000).getFirst().tensor().elementCount()).isEqualTo(100_000);
  }

  private List<NamedTensor> sized(ModelSession session, long elements) {
    try (Tensor size = Tensors.integers(Shape.of(1), elements)) {
      List<NamedTensor> outputs = run(session, new NamedTensor("size", size));
      toClose.add(() -> NamedTensor.closeAll(outputs));
      return outputs;
    }
  }

  @Test
  void outputLargerThanTheLimitIsRefusedInTheProcess() throws IOException {
    new OnnxModelWriter()
        .input("size", OnnxModelWriter.INT64, "1")
        .output("y", OnnxModelWriter.FLOAT, "n")
        .node("ConstantOfShape", "y", "size")
        .writeTo(folder);
    ModelSession session = keep(IsolatedModels.open(folder));
    InferenceException refused =
        catchThrowableOfType(InferenceException.class, () -> sized(session, 270_000_000));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refused).hasMessageContaining("limits.max_output_size");
  }

  @Test
  void modelThatCannotBeOpenedFailsWithTheRuntimesTextAndLeavesNoProcess() throws IOException {
    Files.write(folder.resolve("model.onnx"), new byte[] {1, 2, 3});
    var failed = catchThrowableOfType(InferenceException.class, () -> IsolatedModels.open(folder));
    assertThat(failed.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(failed).hasMessageContaining("cannot open").hasMessageContaining("model.onnx");
  }

  @Test
  void failureOfTheModelHasTheSameCodeAndTextAsInThisProcess() throws IOException {
    ModelSession isolated = keep(IsolatedModels.open(doubling()));
    ModelSession here = keep(new OnnxRuntimeProvider().open(TestModels.source(folder)));
    try (Tensor x = Tensors.integers(Shape.of(1), 1)) {
      var wrong = new NamedTensor("x", x);
      var expected = catchThrowableOfType(InferenceException.class, () -> run(here, wrong));
      var failed = catchThrowableOfType(InferenceException.class, () -> run(isolated, wrong));
      assertThat(failed.code()).isEqualTo(expected.code());
      assertThat(failed).hasMessage(expected.getMessage());
      assertThat(x.data().get(JAVA_BYTE, 0)).isEqualTo((byte) 1);
    }
  }
}
