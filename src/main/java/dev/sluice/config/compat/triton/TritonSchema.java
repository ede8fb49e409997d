package dev.sluice.config.compat.triton;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The messages of a Triton model configuration (src/docs/reference/protocols/open-inference.md):
 * their fields in order, with their types. A field with {@code !} is kept and shown, and nothing
 * here follows it.
 */
final class TritonSchema {
  /** The outermost message. */
  static final String ROOT = "model";

  private static final String TABLE =
      """
      model = name:string platform:string backend:string runtime:string version_policy:policy max_batch_size:int \
      input:*input output:*output batch_input:*batch_input! batch_output:*batch_output! optimization:optimization \
      dynamic_batching:batching sequence_batching:sequences ensemble_scheduling:ensemble instance_group:*group \
      default_model_filename:string cc_model_filenames:%string! metric_tags:%string! parameters:%parameter \
      model_warmup:*warmup model_operations:operations! model_transaction_policy:transaction \
      model_repository_agents:agents! response_cache:cache
      policy = latest:latest all:all specific:specific
      latest = num_versions:int
      all =
      specific = versions:*int
      input = name:string data_type:word format:format dims:*int reshape:reshape is_shape_tensor:bool! \
      allow_ragged_batch:bool! optional:bool is_non_linear_format_io:bool!
      output = name:string data_type:word dims:*int label_filename:string reshape:reshape is_shape_tensor:bool! \
      is_non_linear_format_io:bool!
      reshape = shape:*int
      batch_input = kind:word target_name:*string data_type:word source_input:*string
      batch_output = target_name:*string kind:word source_input:*string
      optimization = graph:graph priority:priority! input_pinned_memory:pinned! output_pinned_memory:pinned! \
      gather_kernel_buffer_threshold:int! eager_batching:bool! execution_accelerators:accelerators! cuda:cuda!
      graph = level:int
      pinned = enable:bool
      accelerators = gpu_execution_accelerator:*accelerator cpu_execution_accelerator:*accelerator
      accelerator = name:string parameters:%string
      cuda = graphs:bool busy_wait_events:bool output_copy_stream:bool
      batching = preferred_batch_size:*int max_queue_delay_microseconds:int preserve_ordering:bool! priority_levels:int \
      default_priority_level:int default_queue_policy:queue priority_queue_policy:%queue
      queue = timeout_action:action default_timeout_microseconds:int allow_timeout_override:bool max_queue_size:int
      sequences = max_sequence_idle_microseconds:int control_input:*control_input direct:direct oldest:oldest state:*state \
      iterative_sequence:bool!
      control_input = name:string control:*control
      control = kind:control_kind int32_false_true:*int fp32_false_true:*float bool_false_true:*bool data_type:word
      direct = max_queue_delay_microseconds:int! minimum_slot_utilization:float!
      oldest = max_candidate_sequences:int preferred_batch_size:*int! max_queue_delay_microseconds:int! preserve_ordering:bool!
      state = input_name:string output_name:string data_type:word dims:*int initial_state:*initial \
      use_same_buffer_for_input_output:bool! use_growable_memory:bool!
      initial = name:string data_type:word dims:*int zero_data:bool data_file:string
      ensemble = step:*step max_inflight_requests:int!
      step = model_name:string model_version:int input_map:%string output_map:%string model_namespace:string!
      group = name:string kind:kind count:int rate_limiter:rate gpus:*int! secondary_devices:*device! profile:*string! \
      passive:bool! host_policy:string!
      rate = resources:*resource priority:int
      resource = name:string global:bool count:int
      device = kind:word device_id:int
      parameter = string_value:string
      warmup = name:string batch_size:int inputs:%warmup_input count:int
      warmup_input = data_type:word dims:*int zero_data:bool random_data:bool input_data_file:string
      operations = op_library_filename:*string
      transaction = decoupled:bool
      agents = agents:*agent
      agent = name:string parameters:%string
      cache = enable:bool
      """;

  /** The words of enums of which one is the default, and so is shown where none is said. */
  private static final Map<String, String> DEFAULT_WORDS =
      Map.of(
          "word", "TYPE_INVALID",
          "format", "FORMAT_NONE",
          "kind", "KIND_AUTO",
          "action", "REJECT",
          "priority", "PRIORITY_DEFAULT",
          "control_kind", "CONTROL_SEQUENCE_START");

  private static final Map<String, Map<String, Field>> MESSAGES = messages();

  private TritonSchema() {}

  /** The cardinality of a field. */
  enum Label {
    SINGLE,
    REPEATED,
    MAP
  }

  /**
   * One field of a message.
   *
   * @param type a scalar, or the name of a message
   * @param followed whether anything here does what it says
   */
  record Field(String type, Label label, boolean followed) {
    boolean isMessage() {
      return MESSAGES.containsKey(type);
    }

    /** Returns the value that is shown for an absent field; null for an absent message. */
    Object defaultValue() {
      return switch (label) {
        case REPEATED -> List.of();
        case MAP -> Map.of();
        case SINGLE ->
            switch (type) {
              case "string" -> "";
              case "int" -> 0L;
              case "float" -> 0.0;
              case "bool" -> false;
              default -> DEFAULT_WORDS.getOrDefault(type, "");
            };
      };
    }
  }

  /** Returns the fields of a message, in the order to show them. */
  static Map<String, Field> fields(String message) {
    return MESSAGES.getOrDefault(message, Map.of());
  }

  private static Map<String, Map<String, Field>> messages() {
    Map<String, Map<String, Field>> messages = new HashMap<>();
    for (String line : TABLE.lines().toList()) {
      int equals = line.indexOf(" =");
      Map<String, Field> fields = new LinkedHashMap<>();
      for (String field : line.substring(equals + 2).strip().split(" +", -1)) {
        int colon = field.indexOf(':');
        if (colon > 0) {
          fields.put(field.substring(0, colon), field(field.substring(colon + 1)));
        }
      }
      messages.put(line.substring(0, equals), fields);
    }
    return messages;
  }

  private static Field field(String type) {
    boolean followed = !type.endsWith("!");
    String bare = followed ? type : type.substring(0, type.length() - 1);
    return switch (bare.charAt(0)) {
      case '*' -> new Field(bare.substring(1), Label.REPEATED, followed);
      case '%' -> new Field(bare.substring(1), Label.MAP, followed);
      default -> new Field(bare, Label.SINGLE, followed);
    };
  }
}
