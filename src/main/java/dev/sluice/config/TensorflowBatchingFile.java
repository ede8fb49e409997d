package dev.sluice.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a batching parameters file of TensorFlow Serving: its message {@code BatchingParameters} as
 * text. A model's worker runs one batch after the other, so that threads have no meaning here: a
 * model's {@code instances} say how many run at once.
 */
public final class TensorflowBatchingFile {
  private static final String ORIGIN = "--batching_parameters_file";
  private static final int BATCH = 1_000;
  private static final int ENQUEUED_BATCHES = 10;
  private static final Set<String> KNOWN =
      Set.of(
          "max_batch_size.value",
          "batch_timeout_micros.value",
          "max_enqueued_batches.value",
          "max_execution_batch_size.value",
          "enable_large_batch_splitting.value",
          "allowed_batch_sizes");

  private final ProtoFields batching;
  private final List<SettingOverride> overrides = new ArrayList<>();

  private TensorflowBatchingFile(ProtoFields batching) {
    this.batching = batching;
  }

  /**
   * The settings of all models that a file stands for; without one, those of its defaults.
   *
   * @param warnings is told once which fields have no meaning here
   * @throws ConfigException if it is not in the format
   */
  public static List<SettingOverride> read(Optional<Path> file, Consumer<String> warnings) {
    String name = file.map(Path::toString).orElse("defaults");
    String text = file.map(SettingsFile::read).orElse("");
    var batching = new ProtoFields(name, TextProto.read(name, text));
    batching.warnOfUnknown(KNOWN, warnings);
    return new TensorflowBatchingFile(batching).overrides();
  }

  private List<SettingOverride> overrides() {
    int largest = largest();
    set("max_batch_size", String.valueOf(largest));
    set("max_queue_delay", wrapped("batch_timeout_micros", Integer.MAX_VALUE).orElse(0) + "us");
    // There the queue's length is in batches; a request is one row at least.
    long queue =
        (long) wrapped("max_enqueued_batches", QueueConfig.LONGEST_QUEUE).orElse(ENQUEUED_BATCHES)
            * largest;
    set("max_queued_requests", String.valueOf(Math.clamp(queue, 1, QueueConfig.LONGEST_QUEUE)));
    List<Long> sizes = batching.numbers("allowed_batch_sizes", 1, largest);
    if (!sizes.isEmpty()) {
      set("allowed_batch_sizes", String.join(",", sizes.stream().map(String::valueOf).toList()));
    }
    return overrides;
  }

  /** A request with more rows runs alone here, so that only what runs together has a limit. */
  private int largest() {
    boolean split =
        batching
            .inner("enable_large_batch_splitting")
            .flatMap(flag -> flag.flag("value"))
            .orElse(false);
    int largest = wrapped("max_batch_size", BatchingConfig.LARGEST_BATCH).orElse(BATCH);
    return split
        ? wrapped("max_execution_batch_size", BatchingConfig.LARGEST_BATCH).orElse(largest)
        : largest;
  }

  private Optional<Integer> wrapped(String field, int highest) {
    return batching.inner(field).flatMap(wrapper -> wrapper.number("value", highest));
  }

  private void set(String key, String value) {
    overrides.add(new SettingOverride("models.defaults." + key, value, ORIGIN));
  }
}
