package dev.sluice.runtime.isolation;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The tensors of one session's runs, in memory that its process shares. One thread at a time;
 * outputs may be closed on any.
 */
final class SharedTensors implements AutoCloseable {
  /**
   * Bytes up to which outputs are copied out of their region, which is then free for the next run:
   * cheaper than another region for each answer that is being written.
   */
  private static final long COPIED = 64 << 10;

  /** Regions from which on all outputs are copied: the kernel has a limit of mappings. */
  private static final int MOST_REGIONS = 256;

  private final PeerProcess process;
  private final long maxOutputSize;
  private final RegionPool pool;
  private final ProcessMessageWriter mapping = new ProcessMessageWriter();

  /** Sizes of the last outputs, as estimates of the next ones. */
  private long expected = 1;

  /** Bytes of outputs that did not fit into their region. */
  private long needed;

  /**
   * @param maxOutputSize bytes of one output
   */
  SharedTensors(PeerProcess process, long maxOutputSize) {
    this.process = process;
    this.maxOutputSize = maxOutputSize;
    this.pool =
        new RegionPool(
            new RegionPool.Peer() {
              @Override
              public void map(int number, Path file, long bytes) {
                process.ask(
                    order ->
                        order
                            .begin(ProcessCommand.MAP)
                            .putInt(number)
                            .putText(file.toString())
                            .putLong(bytes),
                    mapping);
              }

              @Override
              public void unmap(int number) {
                process.sendWithoutReply(mapping.begin(ProcessCommand.UNMAP).putInt(number));
              }
            });
  }

  /** Lays inputs where the process can read them. */
  SharedInputs share(List<NamedTensor> inputs) {
    return new SharedInputs(pool, inputs);
  }

  /**
   * Runs the model.
   *
   * @param order writes the order but for the region of the outputs
   * @return the outputs, owned by the caller
   */
  List<NamedTensor> run(
      Consumer<ProcessMessageWriter> order, List<TensorSpec> outputs, ProcessMessageWriter writer) {
    SharedRegion first = pool.acquire(expected);
    try {
      Optional<List<NamedTensor>> taken =
          process.ask(
              message -> {
                order.accept(message);
                message.putInt(first.number());
              },
              writer,
              (kind, reply) -> take(kind, reply, outputs, first));
      if (taken.isPresent()) {
        return taken.get();
      }
    } finally {
      first.release();
    }
    SharedRegion larger = larger(needed);
    try {
      return process.ask(
          message -> message.begin(ProcessCommand.WRITE).putInt(larger.number()),
          writer,
          (kind, reply) -> {
            ProcessReply.requireDone(kind);
            return take(reply, outputs, larger);
          });
    } finally {
      larger.release();
    }
  }

  /** Returns nothing if the outputs need a larger region. */
  private Optional<List<NamedTensor>> take(
      byte kind, ProcessMessageReader reply, List<TensorSpec> outputs, SharedRegion region) {
    if (kind != ProcessReply.TOO_SMALL) {
      ProcessReply.requireDone(kind);
      return Optional.of(take(reply, outputs, region));
    }
    needed = reply.number();
    if (needed <= region.byteSize()
        || needed / outputs.size() > maxOutputSize + SharedRegion.ALIGNMENT) {
      throw new IllegalArgumentException(outputs.size() + " outputs of " + needed + " bytes");
    }
    return Optional.empty();
  }

  /** Returns a region for outputs that the process keeps meanwhile. */
  private SharedRegion larger(long bytes) {
    try {
      return pool.acquire(bytes);
    } catch (InferenceException e) {
      process.sendWithoutReply(mapping.begin(ProcessCommand.DROP));
      throw e;
    }
  }

  private List<NamedTensor> take(
      ProcessMessageReader reply, List<TensorSpec> outputs, SharedRegion region) {
    List<NamedTensor> taken = new ArrayList<>(outputs.size());
    long bytes = 0;
    try {
      boolean copied = reply.number() <= COPIED || pool.size() > MOST_REGIONS;
      for (TensorSpec output : outputs) {
        TensorCodec tensor = TensorCodec.read(reply);
        long offset = reply.number();
        MemorySegment data = region.memory().asSlice(offset, tensor.bytes());
        taken.add(
            new NamedTensor(
                output.name(), copied ? copy(tensor, data) : adopt(tensor, data, region)));
        bytes = offset + tensor.bytes();
      }
      expected = Math.max(1, bytes);
      return taken;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(taken);
      throw e;
    }
  }

  private static Tensor copy(TensorCodec tensor, MemorySegment data) {
    try (var builder = new TensorBuilder(tensor.type(), Math.max(1, tensor.bytes()))) {
      builder.putRaw(data, 0, tensor.bytes(), tensor.shape().elementCount());
      return builder.build(tensor.shape());
    }
  }

  private static Tensor adopt(TensorCodec tensor, MemorySegment data, SharedRegion region) {
    region.retain();
    return Tensor.adopt(tensor.type(), tensor.shape(), data, region::release);
  }

  @Override
  public void close() {
    pool.close();
  }
}
