package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of streaming responses of a model.
 *
 * @param rows rows of a request that are answered in one message; 0: as many as a batch has. Not
 *     for a model that runs in a loop
 * @param decoupled whether V2 metadata says that a request may have any number of responses
 * @param maxStreams open streams; one more is rejected
 * @param generator how the model is run in a loop, if it is
 * @param maxPadding elements by which the lengths of streams that advance together may differ: the
 *     shorter ones are padded, on the side of which the model proves when it is loaded that this
 *     changes nothing; 0: only streams of one length do
 * @param prefillChunk tokens of a prompt that run at once; between two chunks of a longer prompt
 *     other streams advance, if the model proves when it is loaded that chunks change nothing; 0:
 *     prompts run whole
 * @param cacheMemory size of what streams of a model that runs in a loop keep from step to step,
 *     together: a stream waits in the queue until there is memory for its prompt and its most
 *     steps; 0: any size
 */
public record StreamConfig(
    int rows,
    boolean decoupled,
    int maxStreams,
    Optional<GeneratorConfig> generator,
    int maxPadding,
    int prefillChunk,
    long cacheMemory) {
  private static final int MAX_PADDING = 512;
  private static final int PREFILL_CHUNK = 256;

  public static final StreamConfig DEFAULT = new StreamConfig(0, false, 1_024, Optional.empty());

  private static final int MOST_STREAMS = 1 << 20;
  private static final int MOST_PADDING = 1 << 20;
  private static final int LARGEST_CHUNK = 1 << 20;
  private static final long MOST_MEMORY = 1L << 40;

  /** Settings with the default padding and chunks. */
  public StreamConfig(
      int rows, boolean decoupled, int maxStreams, Optional<GeneratorConfig> generator) {
    this(rows, decoupled, maxStreams, generator, MAX_PADDING, PREFILL_CHUNK, 0);
  }

  static StreamConfig read(Section stream, StreamConfig defaults) {
    Optional<GeneratorConfig> generator = GeneratorConfig.read(stream);
    int rows = stream.number("rows", defaults.rows, 0, BatchingConfig.LARGEST_BATCH);
    if (generator.isPresent() && rows > 0) {
      throw stream.error("rows", "is set for a model that is run in a loop; wanted one of them");
    }
    long cacheMemory = stream.size("cache_memory", defaults.cacheMemory, 0, MOST_MEMORY);
    if (generator.isEmpty() && cacheMemory > 0) {
      throw stream.error("cache_memory", "is set for a model that is not run in a loop");
    }
    return new StreamConfig(
        rows,
        stream.flag("decoupled", defaults.decoupled || generator.isPresent()),
        stream.number("max_streams", defaults.maxStreams, 1, MOST_STREAMS),
        generator,
        stream.number("max_padding", defaults.maxPadding, 0, MOST_PADDING),
        stream.number("prefill_chunk", defaults.prefillChunk, 0, LARGEST_CHUNK),
        cacheMemory);
  }

  /** Returns the same for a model whose files are in a folder. */
  StreamConfig in(Path folder) {
    return new StreamConfig(
        rows,
        decoupled,
        maxStreams,
        generator.map(loop -> loop.in(folder)),
        maxPadding,
        prefillChunk,
        cacheMemory);
  }

  /** Returns a copy with another answer to whether there may be any number of responses. */
  public StreamConfig withDecoupled(boolean wanted) {
    return new StreamConfig(
        rows, wanted, maxStreams, generator, maxPadding, prefillChunk, cacheMemory);
  }
}
