package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that may take 64 MiB together. */
class SharedArenaIT {
  private static final long LIMIT = 64 << 20;

  /** Floats of a tensor of 40 MiB, of which the limit holds one. */
  private static final long MOST = 10 << 20;

  @TempDir Path folder;
  private Path filling;

  @BeforeEach
  void writeModel() throws IOException {
    filling = Files.createDirectory(folder.resolve("filling"));
    new OnnxModelWriter()
        .input("size", OnnxModelWriter.INT64, "1")
        .node("ConstantOfShape", "y", "size")
        .output("y", OnnxModelWriter.FLOAT, "")
        .writeTo(filling);
  }

  private ModelSession open() {
    return new OnnxRuntimeProvider(LIMIT).open(TestModels.source(filling));
  }

  private static List<NamedTensor> run(ModelSession session, long size) {
    Signature signature = session.metadata().signature("").orElseThrow();
    try (Tensor tensor = Tensors.integers(Shape.of(1), size)) {
      return session.run(signature, List.of(new NamedTensor("size", tensor)), signature.outputs());
    }
  }

  private static InferenceException failure(ModelSession session, long size) {
    return catchThrowableOfType(InferenceException.class, () -> run(session, size));
  }

  @Test
  void whatNeverFitsIsTheRequestsFault() {
    try (ModelSession session = open()) {
      InferenceException refused = failure(session, 2 * MOST);
      assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(refused)
          .hasMessageContaining("limits.onnx_memory is 67108864 bytes")
          .hasMessageContaining("ConstantOfShape")
          .hasMessageContaining("83886080");
      NamedTensor.closeAll(run(session, MOST));
    }
  }

  @Test
  void whatOthersHoldIsMissingUntilTheyGiveItBack() {
    try (ModelSession one = open();
        ModelSession other = open()) {
      List<NamedTensor> held = run(one, MOST);
      assertThat(failure(other, MOST).code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
      NamedTensor.closeAll(run(other, 1000));
      NamedTensor.closeAll(held);
      NamedTensor.closeAll(run(other, MOST));
    }
  }

  @Test
  void memoryThatLiesUnusedInPiecesIsGivenBackToWhoeverNeedsOneOfThem() {
    try (ModelSession one = open();
        ModelSession other = open()) {
      for (long size = 1 << 18; size <= MOST; size += 1 << 19) {
        NamedTensor.closeAll(run(one, size));
        NamedTensor.closeAll(run(other, MOST + (1 << 19) - size));
      }
    }
  }

  @Test
  void sessionsOfSeveralThreadsShareIt() throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> working = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        working.add(
            threads.submit(() -> {
              try (ModelSession session = open()) {
                for (int n = 0; n < 500; n++) {
                  List<NamedTensor> outputs = run(session, 1 + n % 1000);
                  assertThat(outputs.getFirst().tensor().byteSize())
                      .isEqualTo((1 + n % 1000) * (long) Float.BYTES);
                  NamedTensor.closeAll(outputs);
                }
              }
            }));
      }
      for (Future<?> one : working) {
        one.get();
      }
    }
  }

  @Test
  void aModelThatIsClosedLeavesNothingBehind() {
    try (ModelSession stays = open()) {
      for (int i = 0; i < 3; i++) {
        try (ModelSession session = open()) {
          NamedTensor.closeAll(run(session, MOST));
        }
      }
      long before = resident();
      NamedTensor.closeAll(run(stays, MOST));
      long grown = resident() - before;
      // It was not there: what the closed ones had was given back to the system.
      assertThat(grown).isGreaterThan(MOST * Float.BYTES / 2);
    }
  }

  private static long resident() {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
