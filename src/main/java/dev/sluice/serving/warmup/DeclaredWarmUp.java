package dev.sluice.serving.warmup;

import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.compat.triton.proto.ModelWarmup;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Runs a session with the {@code model_warmup} of a Triton configuration: a version whose warm-up
 * fails does not come up.
 */
public final class DeclaredWarmUp {
  /** Bytes of one input. Rows and dimensions are a person's, but a slip makes them huge. */
  private static final long MOST_BYTES = 1L << 30;

  private static final int MOST_RUNS = 100_000;

  private final ModelSession session;
  private final ModelId id;
  private final Path modelFolder;
  private final boolean batched;

  /**
   * @param modelFolder has the data files in its folder {@code warmup}
   */
  public DeclaredWarmUp(ModelSession session, ModelId id, Path modelFolder, ModelConfig config) {
    this.session = session;
    this.id = id;
    this.modelFolder = modelFolder;
    this.batched = config.batching().maxBatchSize() > 0;
  }

  /**
   * Runs every item as often as it says.
   *
   * @return how often the session ran
   * @throws InferenceException with FAILED_PRECONDITION, naming the item and the fault
   */
  public int run(List<ModelWarmup> items) {
    int runs = 0;
    for (ModelWarmup sample : items) {
      long count = Math.clamp(Integer.toUnsignedLong(sample.getCount()), 1, MOST_RUNS);
      for (long i = 0; i < count; i++) {
        run(sample);
        runs++;
      }
    }
    return runs;
  }

  private void run(ModelWarmup sample) {
    List<NamedTensor> inputs = new ArrayList<>();
    try {
      Signature signature = signature();
      long rows = Math.max(1, Integer.toUnsignedLong(sample.getBatchSize()));
      sample
          .getInputsMap()
          .forEach((name, input) -> inputs.add(input(signature, name, input, rows)));
      NamedTensor.closeAll(session.run(signature, inputs, signature.supportedOutputs()));
    } catch (InferenceException e) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model " + id + ": warm-up '" + sample.getName() + "' failed: " + e.getMessage(),
          e);
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private Signature signature() {
    Map<String, Signature> all = session.metadata().signatures();
    Signature signature = all.get(Signature.DEFAULT);
    if (signature == null) {
      throw InferenceException.invalid("the model has no default signature, but " + all.keySet());
    }
    return signature;
  }

  private NamedTensor input(Signature signature, String name, ModelWarmup.Input said, long rows) {
    TensorSpec spec =
        signature
            .input(name)
            .orElseThrow(() -> InferenceException.invalid("there is no input '" + name + "'"));
    Shape item = Shape.of(said.getDimsList().stream().mapToLong(Long::longValue).toArray());
    Shape shape = batched ? item.prepend(rows) : item;
    if (!shape.isFull()) {
      throw InferenceException.invalid("input '" + name + "' has open dims " + item);
    }
    return new NamedTensor(name, tensor(spec.type(), shape, said));
  }

  private Tensor tensor(DataType type, Shape shape, ModelWarmup.Input said) {
    requireSize(type, shape);
    if (said.hasInputDataFile()) {
      return fromFile(type, shape, said.getInputDataFile());
    }
    if (!type.isFixedSize()) {
      return emptyTexts(shape);
    }
    Tensor tensor = Tensor.allocate(type, shape);
    tensor.data().fill((byte) 0);
    if (said.getRandomData()) {
      fillRandomly(tensor);
    }
    return tensor;
  }

  private static void requireSize(DataType type, Shape shape) {
    long count;
    try {
      count = shape.elementCount();
    } catch (ArithmeticException _) {
      count = Long.MAX_VALUE;
    }
    if (count > MOST_BYTES / Math.max(4, type.byteSize())) {
      throw InferenceException.invalid("an input of shape " + shape + " is too large");
    }
  }

  private static Tensor emptyTexts(Shape shape) {
    try (var builder = new TensorBuilder(DataType.BYTES, 0)) {
      for (long i = 0; i < shape.elementCount(); i++) {
        builder.putBytes(new byte[0], 0, 0);
      }
      return builder.build(shape);
    }
  }

  /** Whole numbers are 0 or 1, which is in range wherever they are positions. */
  private static void fillRandomly(Tensor tensor) {
    var random = new SplittableRandom(1);
    MemorySegment data = tensor.data();
    int size = tensor.type().byteSize();
    for (long at = 0; at < data.byteSize(); at += size) {
      switch (tensor.type()) {
        case FP32 -> data.set(ValueLayout.JAVA_FLOAT, at, (float) random.nextDouble());
        case FP64 -> data.set(ValueLayout.JAVA_DOUBLE, at, random.nextDouble());
        default -> data.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt(2));
      }
    }
  }

  /** Returns the tensor as a binary request would bring it. */
  private Tensor fromFile(DataType type, Shape shape, String name) {
    byte[] bytes = read(name);
    try (var builder = new TensorBuilder(type, bytes.length)) {
      builder.putRaw(MemorySegment.ofArray(bytes), 0, bytes.length, shape.elementCount());
      requireBytes(type, shape, name, bytes);
      return builder.build(shape);
    }
  }

  private static void requireBytes(DataType type, Shape shape, String name, byte[] bytes) {
    boolean fits =
        type.isFixedSize()
            ? bytes.length == shape.elementCount() * type.byteSize()
            : holdsTexts(bytes, shape.elementCount());
    if (!fits) {
      throw InferenceException.invalid(
          "%s has %d bytes, which are not those of a %s%s"
              .formatted(name, bytes.length, type, shape));
    }
  }

  private static boolean holdsTexts(byte[] bytes, long count) {
    MemorySegment data = MemorySegment.ofArray(bytes);
    long at = 0;
    for (long i = 0; i < count; i++) {
      if (at + 4 > bytes.length) {
        return false;
      }
      long length = Integer.toUnsignedLong(data.get(ValueLayout.JAVA_INT_UNALIGNED, at));
      at += 4 + length;
    }
    return at == bytes.length;
  }

  /** Reads a file beside the model; its name leads nowhere else. */
  private byte[] read(String name) {
    Path folder = modelFolder.resolve("warmup");
    Path file = folder.resolve(name).normalize();
    if (!file.startsWith(folder)) {
      throw InferenceException.invalid("'" + name + "' does not lie in " + folder);
    }
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw InferenceException.invalid(file + " is too large");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw InferenceException.invalid(file + " " + FileProblem.of(e));
    }
  }
}
