package dev.sluice.config.model;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.binding.TextProto.Message;
import dev.sluice.config.binding.TextProto.Scalar;
import dev.sluice.config.binding.TextProto.Value;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Options of TensorFlow sessions: its message {@code ConfigProto}, as text. What concerns one
 * process with the devices of its machine is known, and all else refused by name.
 *
 * @param text as it was written
 */
public record SessionOptions(String text) {
  /** Nothing said. */
  public static final SessionOptions NONE = new SessionOptions("");

  private static final String TYPE = "tensorflow.ConfigProto";
  private static final String INTRA_OP = "intra_op_parallelism_threads";
  private static final String INTER_OP = "inter_op_parallelism_threads";
  private static final int MOST_THREADS = 1_024;

  private enum Form {
    INT,
    BOOL,
    DOUBLE,
    TEXT,
    ENUM,
    MESSAGE
  }

  private record Field(
      int number, Form form, Map<String, Integer> constants, Map<String, Field> fields) {}

  private static final Map<String, Integer> TOGGLE =
      Map.of(
          "DEFAULT",
          0,
          "ON",
          1,
          "OFF",
          2,
          "AGGRESSIVE",
          3,
          "EXPERIMENTAL_MLIR",
          4,
          "EXPERIMENTAL_BOTH",
          5);

  private static final Map<String, Field> OPTIMIZER =
      fields(
          Map.of(
              "do_common_subexpression_elimination", 1,
              "do_constant_folding", 2,
              "do_function_inlining", 4,
              "cpu_global_jit", 7),
          Form.BOOL,
          Map.of(
              "max_folded_constant_in_bytes", plain(6, Form.INT),
              "opt_level", constants(3, Map.of("L1", 0, "L0", -1)),
              "global_jit_level",
                  constants(5, Map.of("DEFAULT", 0, "OFF", -1, "ON_1", 1, "ON_2", 2))));

  private static final Map<String, Field> REWRITE = rewrite();

  private static final Map<String, Field> GRAPH =
      fields(
          Map.of(
              "enable_recv_scheduling", 2,
              "infer_shapes", 5,
              "place_pruned_graph", 6,
              "enable_bfloat16_sendrecv", 7),
          Form.BOOL,
          Map.of(
              "build_cost_model", plain(4, Form.INT),
              "timeline_step", plain(8, Form.INT),
              "build_cost_model_after", plain(9, Form.INT),
              "optimizer_options", message(3, OPTIMIZER),
              "rewrite_options", message(10, REWRITE)));

  private static final Map<String, Field> GPU =
      fields(
          Map.of("allow_growth", 4, "force_gpu_compatible", 8),
          Form.BOOL,
          Map.of(
              "per_process_gpu_memory_fraction", plain(1, Form.DOUBLE),
              "allocator_type", plain(2, Form.TEXT),
              "deferred_deletion_bytes", plain(3, Form.INT),
              "visible_device_list", plain(5, Form.TEXT),
              "polling_active_delay_usecs", plain(6, Form.INT),
              "polling_inactive_delay_msecs", plain(7, Form.INT)));

  private static final Map<String, Field> CONFIG =
      fields(
          Map.of(
              "allow_soft_placement", 7,
              "log_device_placement", 8,
              "use_per_session_threads", 9,
              "isolate_session_state", 15),
          Form.BOOL,
          Map.of(
              "device_count",
              message(1, Map.of("key", plain(1, Form.TEXT), "value", plain(2, Form.INT))),
              INTRA_OP,
              plain(2, Form.INT),
              "placement_period",
              plain(3, Form.INT),
              INTER_OP,
              plain(5, Form.INT),
              "gpu_options",
              message(6, GPU),
              "graph_options",
              message(10, GRAPH),
              "operation_timeout_in_ms",
              plain(11, Form.INT),
              "session_inter_op_thread_pool",
              message(
                  12,
                  Map.of(
                      "num_threads", plain(1, Form.INT),
                      "global_name", plain(2, Form.TEXT)))));

  private static Map<String, Field> rewrite() {
    Map<String, Field> fields = new HashMap<>();
    Map.ofEntries(
            Map.entry("layout_optimizer", 1),
            Map.entry("constant_folding", 3),
            Map.entry("arithmetic_optimization", 7),
            Map.entry("dependency_optimization", 8),
            Map.entry("loop_optimization", 9),
            Map.entry("function_optimization", 10),
            Map.entry("debug_stripper", 11),
            Map.entry("shape_optimization", 13),
            Map.entry("remapping", 14),
            Map.entry("scoped_allocator_optimization", 15),
            Map.entry("pin_to_host_optimization", 18),
            Map.entry("implementation_selector", 22),
            Map.entry("auto_mixed_precision", 23),
            Map.entry("common_subgraph_elimination", 24),
            Map.entry("auto_mixed_precision_mkl", 25),
            Map.entry("auto_mixed_precision_cpu", 29),
            Map.entry("auto_mixed_precision_onednn_bfloat16", 31))
        .forEach((name, number) -> fields.put(name, constants(number, TOGGLE)));
    Map.of("disable_model_pruning", 2, "disable_meta_optimizer", 19, "fail_on_optimizer_errors", 21)
        .forEach((name, number) -> fields.put(name, plain(number, Form.BOOL)));
    fields.put(
        "meta_optimizer_iterations",
        constants(12, Map.of("DEFAULT_NUM_ITERS", 0, "ONE", 1, "TWO", 2)));
    fields.put("min_graph_nodes", plain(17, Form.INT));
    fields.put("meta_optimizer_timeout_ms", plain(20, Form.INT));
    fields.put("optimizers", plain(100, Form.TEXT));
    return Map.copyOf(fields);
  }

  private static Map<String, Field> fields(
      Map<String, Integer> ofOneForm, Form form, Map<String, Field> others) {
    Map<String, Field> fields = new HashMap<>(others);
    ofOneForm.forEach((name, number) -> fields.put(name, plain(number, form)));
    return Map.copyOf(fields);
  }

  private static Field plain(int number, Form form) {
    return new Field(number, form, Map.of(), Map.of());
  }

  private static Field constants(int number, Map<String, Integer> constants) {
    return new Field(number, Form.ENUM, constants, Map.of());
  }

  private static Field message(int number, Map<String, Field> fields) {
    return new Field(number, Form.MESSAGE, Map.of(), fields);
  }

  /**
   * Reads a text.
   *
   * @param place where it was written, for texts
   * @throws ConfigException if it is not in the format, or says what is not known here
   */
  public static SessionOptions read(String place, String text) {
    serialize(place, TextProto.read(place, text), TYPE, CONFIG);
    return new SessionOptions(text);
  }

  /** Returns the message as TensorFlow reads it. */
  public byte[] serialized() {
    return serialize(TYPE, TextProto.read(TYPE, text), TYPE, CONFIG);
  }

  /** Threads inside one operator; empty if not said. */
  public Optional<Integer> intraOpThreads() {
    return threads(INTRA_OP);
  }

  /** Threads across operators; empty if not said. */
  public Optional<Integer> interOpThreads() {
    return threads(INTER_OP);
  }

  private Optional<Integer> threads(String field) {
    return new ProtoFields(TYPE, TextProto.read(TYPE, text))
        .whole(field, -1, MOST_THREADS)
        .map(Long::intValue);
  }

  private static byte[] serialize(
      String place, Message message, String type, Map<String, Field> known) {
    var out = new WireBytes();
    message
        .fields()
        .forEach((name, values) -> {
          Field field = known.get(name);
          if (field == null) {
            throw new ConfigException(
                "%s: Message type \"%s\" has no field named \"%s\" that is known here; wanted one of %s"
                    .formatted(
                        place, type, name, String.join(", ", new TreeSet<>(known.keySet()))));
          }
          values.forEach(value -> write(place, name, field, value, out));
        });
    return out.toByteArray();
  }

  private static void write(String place, String name, Field field, Value value, WireBytes out) {
    switch (value) {
      case Message inner -> {
        if (field.form() != Form.MESSAGE) {
          throw wrong(place, name, "a message", "a value");
        }
        out.bytes(field.number(), serialize(place, inner, name, field.fields()));
      }
      case Scalar(String text) -> write(place, name, field, text, out);
    }
  }

  private static void write(String place, String name, Field field, String text, WireBytes out) {
    switch (field.form()) {
      case MESSAGE -> throw wrong(place, name, text, "a message in braces");
      case TEXT -> out.bytes(field.number(), text.getBytes(StandardCharsets.UTF_8));
      case BOOL -> out.varint(field.number(), truth(place, name, text) ? 1 : 0);
      case INT -> out.varint(field.number(), whole(place, name, text));
      case DOUBLE -> out.fixed(field.number(), decimal(place, name, text));
      case ENUM -> {
        Integer constant = field.constants().get(text);
        if (constant == null) {
          throw wrong(
              place, name, text, String.join(", ", new TreeSet<>(field.constants().keySet())));
        }
        out.varint(field.number(), constant);
      }
    }
  }

  /** A protobuf message in the making. */
  private static final class WireBytes {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int MORE = 0x80;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private void varint(long value) {
      long rest = value;
      while ((rest & -MORE) != 0) {
        out.write((int) rest | MORE);
        rest >>>= 7;
      }
      out.write((int) rest);
    }

    void varint(int field, long value) {
      varint(((long) field << 3) | VARINT);
      varint(value);
    }

    void fixed(int field, double value) {
      varint(((long) field << 3) | FIXED64);
      long bits = Double.doubleToLongBits(value);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        out.write((int) (bits >>> shift));
      }
    }

    void bytes(int field, byte[] value) {
      varint(((long) field << 3) | DELIMITED);
      varint(value.length);
      out.writeBytes(value);
    }

    byte[] toByteArray() {
      return out.toByteArray();
    }
  }

  private static boolean truth(String place, String name, String text) {
    return switch (text) {
      case "true", "True", "t", "1" -> true;
      case "false", "False", "f", "0" -> false;
      default -> throw wrong(place, name, text, "true or false");
    };
  }

  private static long whole(String place, String name, String text) {
    if (!text.matches("-?\\d{1,18}")) {
      throw wrong(place, name, text, "a whole number");
    }
    return Long.parseLong(text);
  }

  private static double decimal(String place, String name, String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw wrong(place, name, text, "a number");
    }
  }

  private static ConfigException wrong(String place, String name, String got, String wanted) {
    return new ConfigException(place + ": " + name + " is " + got + "; wanted " + wanted);
  }
}
