package dev.sluice.config.compat.tfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.binding.SettingsTree;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads a batching parameters file of TensorFlow Serving: its message {@code BatchingParameters} as
 * text.
 */
public final class TensorflowBatchingFile {
  private static final String OF_ALL = "--batching_parameters_file";
  private static final String OF_VERSION = "batching_params.pbtxt";
  private static final String OF_DEFAULTS = "models.defaults.";
  private static final int BATCH = 1_000;
  private static final int ENQUEUED_BATCHES = 10;
  private static final Set<String> KNOWN =
      Set.of(
          "max_batch_size.value",
          "batch_timeout_micros.value",
          "max_enqueued_batches.value",
          "max_execution_batch_size.value",
          "enable_large_batch_splitting.value",
          "num_batch_threads.value",
          "pad_variable_length_inputs",
          "allowed_batch_sizes");

  /** The fields of the message that are messages with a {@code value}, and the others. */
  private static final Set<String> WRAPPED =
      Set.of(
          "max_batch_size",
          "batch_timeout_micros",
          "max_enqueued_batches",
          "num_batch_threads",
          "thread_pool_name",
          "enable_large_batch_splitting",
          "max_execution_batch_size");

  private static final Set<String> PLAIN =
      Set.of(
          "allowed_batch_sizes",
          "pad_variable_length_inputs",
          "low_priority_max_batch_size",
          "low_priority_batch_timeout_micros",
          "low_priority_max_enqueued_batches",
          "low_priority_allowed_batch_sizes",
          "mixed_priority_policy",
          "mixed_priority_batching_policy",
          "batch_padding_policy");

  private final ProtoFields batching;
  private final String place;
  private final String origin;
  private final List<SettingOverride> overrides = new ArrayList<>();

  private TensorflowBatchingFile(ProtoFields batching, String place, String origin) {
    this.batching = batching;
    this.place = place;
    this.origin = origin;
  }

  /**
   * Returns the settings of all models that a file stands for; without one, those of its defaults.
   *
   * @param warnings receives once the fields that have no meaning here
   * @throws dev.sluice.config.binding.ConfigException if it is not in the format
   */
  public static List<SettingOverride> read(Optional<Path> file, Consumer<String> warnings) {
    return ofAll(file, warnings).overrides();
  }

  /**
   * Returns how many batches of a model may run at once, over one session: as many as the file
   * says, or else as there are cores.
   */
  public static SettingOverride threads(Optional<Path> file) {
    return ofAll(file, _ -> {}).threads();
  }

  SettingOverride threads() {
    int threads =
        wrapped("num_batch_threads", ModelConfig.MOST_INSTANCES)
            .orElse(Runtime.getRuntime().availableProcessors());
    return new SettingOverride(place + "concurrency", String.valueOf(Math.max(1, threads)), origin);
  }

  /** Parameters for all models that another file has in it. */
  static TensorflowBatchingFile of(ProtoFields batching, String origin, Consumer<String> warnings) {
    check(batching, warnings);
    return new TensorflowBatchingFile(batching, OF_DEFAULTS, origin);
  }

  private static TensorflowBatchingFile ofAll(Optional<Path> file, Consumer<String> warnings) {
    String name = file.map(Path::toString).orElse("defaults");
    ProtoFields fields = fields(name, file.map(SettingsFile::read).orElse(""), warnings);
    return new TensorflowBatchingFile(fields, OF_DEFAULTS, OF_ALL);
  }

  /**
   * Returns a model's settings with those of the file that lies beside a version's model files, if
   * there is one.
   *
   * @param warnings receives the fields that have no meaning here
   * @throws dev.sluice.config.binding.ConfigException if it is not in the format
   */
  public static ModelConfig ofVersion(Path version, ModelConfig config, Consumer<String> warnings) {
    Path file = version.resolve(OF_VERSION);
    if (!Files.exists(file)) {
      return config;
    }
    String name = file.toString();
    ProtoFields fields = fields(name, SettingsFile.read(file), warnings);
    var tree = new SettingsTree(JsonNodeFactory.instance.objectNode(), name);
    new TensorflowBatchingFile(fields, "", name).overrides().forEach(tree::set);
    return tree.read(settings ->
        config
            .withBatching(BatchingConfig.read(settings, BatchingConfig.DEFAULT))
            .withQueue(QueueConfig.read(settings, config.queue())));
  }

  private static ProtoFields fields(String name, String text, Consumer<String> warnings) {
    var fields = new ProtoFields(name, TextProto.read(name, text));
    check(fields, warnings);
    return fields;
  }

  private static void check(ProtoFields fields, Consumer<String> warnings) {
    fields.refuseUnknown(
        "tensorflow.serving.BatchingParameters",
        Stream.concat(WRAPPED.stream(), PLAIN.stream()).collect(Collectors.toSet()));
    WRAPPED.forEach(field ->
        fields
            .inner(field)
            .ifPresent(value -> value.refuseUnknown("the value of " + field, Set.of("value"))));
    fields.warnOfUnknown(KNOWN, warnings);
  }

  List<SettingOverride> overrides() {
    int largest = largest();
    set("max_batch_size", String.valueOf(largest));
    set("max_queue_delay", wrapped("batch_timeout_micros", Integer.MAX_VALUE).orElse(0) + "us");
    // There the queue's length is in batches; a request is one row at least.
    long queue =
        (long) wrapped("max_enqueued_batches", QueueConfig.LONGEST_QUEUE).orElse(ENQUEUED_BATCHES)
            * largest;
    set("max_queued_requests", String.valueOf(Math.clamp(queue, 1, QueueConfig.LONGEST_QUEUE)));
    set("queue_full", "unavailable");
    List<Long> sizes = batching.numbers("allowed_batch_sizes", 1, largest);
    if (batching.flag("pad_variable_length_inputs").orElse(false)) {
      set("pad_variable_length_inputs", "true");
    }
    if (!sizes.isEmpty()) {
      set("allowed_batch_sizes", String.join(",", sizes.stream().map(String::valueOf).toList()));
    }
    return overrides;
  }

  /**
   * Returns the largest batch; a request with more rows runs alone here, so that only joined
   * requests have a limit.
   */
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
    overrides.add(new SettingOverride(place + key, value, origin));
  }
}
