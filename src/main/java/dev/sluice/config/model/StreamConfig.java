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
 * @param preemption whether a stream that waits for {@code cache_memory} makes streams of a lower
 *     priority free theirs: these wait, compute their caches again and go on where they were, if
 *     the model proves when it is loaded that this changes nothing
 * @param prefixes KV caches of prompts that are kept for the next ones
 */
public record StreamConfig(
    int rows,
    boolean decoupled,
    int maxStreams,
    Optional<GeneratorConfig> generator,
    int maxPadding,
    int prefillChunk,
    long cacheMemory,
    boolean preemption,
    Prefixes prefixes) {
  private static final int MAX_PADDING = 512;
  private static final int PREFILL_CHUNK = 256;

  public static final StreamConfig DEFAULT = new StreamConfig(0, false, 1_024, Optional.empty());

  private static final int MOST_STREAMS = 1 << 20;
  private static final int MOST_PADDING = 1 << 20;
  private static final int LARGEST_CHUNK = 1 << 20;
  private static final long MOST_MEMORY = 1L << 40;

  /**
   * Kept KV caches of prompts: a later prompt that begins with the same tokens computes only the
   * others, if the model proves when it is loaded that this changes nothing.
   *
   * @param memory size of what is kept, at most; the least recently used is given up first, and all
   *     of it where streams need {@code cache_memory}; 0: 64MiB, or a sixteenth of the largest heap
   *     if that is less
   * @param sharedBy whose prompts may begin with what is kept. {@code identity}: those of the same
   *     identity; {@code all}: those of any, who may learn by the time that an answer takes how the
   *     prompts of others begin; {@code none}: nothing is kept
   */
  public record Prefixes(long memory, SharedBy sharedBy) {
    public static final Prefixes DEFAULT = new Prefixes(0, SharedBy.IDENTITY);

    private static final long USUAL = 64L << 20;
    private static final int PART_OF_HEAP = 16;

    static Prefixes read(Section prefixes, Prefixes defaults) {
      return new Prefixes(
          prefixes.size("memory", defaults.memory, 0, MOST_MEMORY),
          prefixes.choice("shared_by", defaults.sharedBy));
    }

    /** Returns the number of bytes that may be kept; 0: none. */
    public long limit() {
      if (sharedBy == SharedBy.NONE) {
        return 0;
      }
      return memory > 0 ? memory : Math.min(USUAL, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    }
  }

  /** Whose prompts may begin with what was computed for an earlier one. */
  public enum SharedBy {
    /** Those of no identity: nothing is kept. */
    NONE,
    /** Those of the same identity. */
    IDENTITY,
    /** Anybody's. */
    ALL
  }

  /** Settings with the default padding and chunks. */
  public StreamConfig(
      int rows, boolean decoupled, int maxStreams, Optional<GeneratorConfig> generator) {
    this(
        rows,
        decoupled,
        maxStreams,
        generator,
        MAX_PADDING,
        PREFILL_CHUNK,
        0,
        true,
        Prefixes.DEFAULT);
  }

  static StreamConfig read(Section stream, StreamConfig defaults) {
    Optional<GeneratorConfig> generator = GeneratorConfig.read(stream);
    int rows = stream.number("rows", defaults.rows, 0, BatchingConfig.LARGEST_BATCH);
    if (generator.isPresent() && rows > 0) {
      throw stream.error("rows", "is set for a model that is run in a loop; wanted one of them");
    }
    long cacheMemory = stream.size("cache_memory", defaults.cacheMemory, 0, MOST_MEMORY);
    return new StreamConfig(
        rows,
        stream.flag("decoupled", defaults.decoupled || generator.isPresent()),
        stream.number("max_streams", defaults.maxStreams, 1, MOST_STREAMS),
        generator,
        stream.number("max_padding", defaults.maxPadding, 0, MOST_PADDING),
        stream.number("prefill_chunk", defaults.prefillChunk, 0, LARGEST_CHUNK),
        cacheMemory,
        stream.flag("preemption", defaults.preemption),
        stream.section("prefixes", found -> Prefixes.read(found, defaults.prefixes)));
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
        cacheMemory,
        preemption,
        prefixes);
  }

  /** Returns the same for a model whose loop its files tell. */
  public StreamConfig withGenerator(GeneratorConfig loop) {
    return new StreamConfig(
        rows,
        true,
        maxStreams,
        Optional.of(loop),
        maxPadding,
        prefillChunk,
        cacheMemory,
        preemption,
        prefixes);
  }

  /** Returns the name of the input that takes text in place of tokens, if there is one. */
  public Optional<String> textInput() {
    return generator.flatMap(GeneratorConfig::text).map(TextConfig::as);
  }

  /** Returns a copy with another answer to whether there may be any number of responses. */
  public StreamConfig withDecoupled(boolean wanted) {
    return new StreamConfig(
        rows,
        wanted,
        maxStreams,
        generator,
        maxPadding,
        prefillChunk,
        cacheMemory,
        preemption,
        prefixes);
  }
}
