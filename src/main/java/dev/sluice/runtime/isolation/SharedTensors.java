package dev.sluice.runtime.isolation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
  private final RegionPool pool;
  private final ProcessMessageWriter mapping = new ProcessMessageWriter();

  /** Sizes of the last outputs, as estimates of the next ones. */
  private long expected = 1;

  SharedTensors(PeerProcess process) {
    this.process = process;
    this.pool =
        new RegionPool(
            new RegionPool.Peer() {
              @Override
              public void map(int number, Path file, long bytes) {
                var _ =
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
    long needed = 0;
    SharedRegion first = pool.acquire(expected);
    try {
      byte reply =
          process.ask(
              message -> {
                order.accept(message);
                message.putInt(first.number());
              },
              writer);
      if (reply == ProcessReply.DONE) {
        return take(outputs, first);
      }
      needed = process.reply().number();
    } finally {
      first.release();
    }
    SharedRegion larger = larger(needed);
    try {
      write(larger.number(), writer);
      return take(outputs, larger);
    } finally {
      larger.release();
    }
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

  private void write(int region, ProcessMessageWriter writer) {
    var _ = process.ask(order -> order.begin(ProcessCommand.WRITE).putInt(region), writer);
  }

  private List<NamedTensor> take(List<TensorSpec> outputs, SharedRegion region) {
    List<NamedTensor> taken = new ArrayList<>(outputs.size());
    long bytes = 0;
    try {
      ProcessMessageReader reply = process.reply();
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
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      NamedTensor.closeAll(taken);
      process.kill("it answered with something that is no tensor");
      throw new InferenceException(ErrorCode.INTERNAL, "the model's process failed", e);
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
