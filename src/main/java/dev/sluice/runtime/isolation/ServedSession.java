package dev.sluice.runtime.isolation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.LimitedSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The session that a model's process serves. The server gives one order after the other, on
 * changing threads; an interruption comes in the middle of a run.
 */
final class ServedSession {
  /** A region as this process sees it. */
  private record Region(Arena arena, MemorySegment memory) {}

  private final List<RuntimeProvider> runtimes;
  private final Map<Integer, Region> regions = new ConcurrentHashMap<>();
  private volatile @Nullable ModelSession session;

  /** Outputs that await a region, if any. Written by one order at a time. */
  private volatile List<NamedTensor> kept = List.of();

  ServedSession(List<RuntimeProvider> runtimes) {
    this.runtimes = List.copyOf(runtimes);
  }

  /**
   * Carries out an order and writes the reply.
   *
   * @throws InferenceException that is the reply
   */
  void answer(byte kind, ProcessMessageReader order, ProcessMessageWriter reply) {
    switch (kind) {
      case ProcessCommand.OPEN -> open(order, reply);
      case ProcessCommand.MAP -> map(order, reply);
      case ProcessCommand.RUN -> run(order, reply);
      case ProcessCommand.WRITE -> write(region(order.integer()), reply);
      default -> throw new IllegalArgumentException("there is no order " + kind);
    }
  }

  /**
   * Carries out an order that has no reply.
   *
   * @return false if it has one
   */
  boolean obeys(byte kind, ProcessMessageReader order) {
    switch (kind) {
      case ProcessCommand.UNMAP -> unmap(order.integer());
      case ProcessCommand.DROP -> drop();
      case ProcessCommand.INTERRUPT -> session().interrupt();
      case ProcessCommand.RESUME -> session().resume();
      default -> {
        return false;
      }
    }
    return true;
  }

  private void unmap(int number) {
    Region region = regions.remove(number);
    if (region != null) {
      region.arena.close();
    }
  }

  private ModelSession session() {
    ModelSession open = session;
    if (open == null) {
      throw new IllegalStateException("no model is open");
    }
    return open;
  }

  private void open(ProcessMessageReader order, ProcessMessageWriter reply) {
    String name = order.text();
    long maxOutputSize = order.number();
    long memory = order.number();
    ModelSource source = SourceCodec.read(order);
    RuntimeProvider runtime =
        runtimes.stream().filter(known -> known.name().equals(name)).findFirst().orElseThrow();
    ProcessSetup.limitMemory(memory);
    ModelSession opened = new LimitedSession(runtime.open(source), maxOutputSize);
    session = opened;
    SignatureCodec.write(opened.metadata(), reply.begin(ProcessReply.DONE));
  }

  private void map(ProcessMessageReader order, ProcessMessageWriter reply) {
    int number = order.integer();
    Path file = Path.of(order.text());
    long bytes = order.number();
    Arena arena = Arena.ofShared();
    try {
      regions.put(number, new Region(arena, SharedFile.map(file, bytes, arena)));
    } catch (IOException e) {
      arena.close();
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED, "shared memory cannot be mapped: " + e, e);
    }
    reply.begin(ProcessReply.DONE);
  }

  private MemorySegment region(int number) {
    Region region = regions.get(number);
    if (region == null) {
      throw new IllegalArgumentException("there is no region " + number);
    }
    return region.memory;
  }

  private void run(ProcessMessageReader order, ProcessMessageWriter reply) {
    drop();
    Signature signature = signature(order);
    List<NamedTensor> inputs = inputs(order);
    try {
      List<TensorSpec> outputs = outputs(order, signature);
      MemorySegment region = region(order.integer());
      kept = session().run(signature, inputs, outputs);
      write(region, reply);
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private Signature signature(ProcessMessageReader order) {
    if (!order.flag()) {
      return SignatureCodec.read(order);
    }
    ModelMetadata metadata = session().metadata();
    String name = order.text();
    return metadata.signature(name).orElseThrow();
  }

  private List<NamedTensor> inputs(ProcessMessageReader order) {
    List<NamedTensor> inputs = new ArrayList<>();
    int count = order.integer();
    for (int i = 0; i < count; i++) {
      String name = order.text();
      TensorCodec tensor = TensorCodec.read(order);
      MemorySegment region = region(order.integer());
      MemorySegment data = region.asSlice(order.number(), tensor.bytes());
      inputs.add(
          new NamedTensor(name, Tensor.adopt(tensor.type(), tensor.shape(), data, () -> {})));
    }
    return inputs;
  }

  private static List<TensorSpec> outputs(ProcessMessageReader order, Signature signature) {
    List<TensorSpec> outputs = new ArrayList<>();
    int count = order.integer();
    for (int i = 0; i < count; i++) {
      outputs.add(signature.output(order.text()).orElseThrow());
    }
    return outputs;
  }

  /** Writes the outputs that are kept into a region, if they fit, and what they are. */
  private void write(MemorySegment region, ProcessMessageWriter reply) {
    long bytes = 0;
    for (NamedTensor output : kept) {
      bytes = SharedRegion.align(bytes + output.tensor().byteSize());
    }
    if (bytes > region.byteSize()) {
      reply.begin(ProcessReply.TOO_SMALL).putLong(bytes);
      return;
    }
    reply.begin(ProcessReply.DONE).putLong(bytes);
    long offset = 0;
    for (NamedTensor output : kept) {
      Tensor tensor = output.tensor();
      MemorySegment.copy(tensor.data(), 0, region, offset, tensor.byteSize());
      TensorCodec.write(tensor, reply);
      reply.putLong(offset);
      offset = SharedRegion.align(offset + tensor.byteSize());
    }
    drop();
  }

  private void drop() {
    NamedTensor.closeAll(kept);
    kept = List.of();
  }
}
