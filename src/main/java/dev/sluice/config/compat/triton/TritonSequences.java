package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.SequenceConfig.Control;
import dev.sluice.config.model.SequenceConfig.ControlKind;
import dev.sluice.config.model.SequenceConfig.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Translates the part of a Triton {@code config.pbtxt} about sequences. */
final class TritonSequences {
  private static final Map<String, ControlKind> KINDS =
      Map.of(
          "CONTROL_SEQUENCE_START", ControlKind.START,
          "CONTROL_SEQUENCE_READY", ControlKind.READY,
          "CONTROL_SEQUENCE_END", ControlKind.END,
          "CONTROL_SEQUENCE_CORRID", ControlKind.ID);

  private static final List<String> VALUES =
      List.of("int32_false_true", "fp32_false_true", "bool_false_true");

  private final ProtoFields model;
  private final Set<String> outputs;

  TritonSequences(ProtoFields model) {
    this.model = model;
    this.outputs =
        model.inners("output").stream()
            .flatMap(output -> output.text("name").stream())
            .collect(Collectors.toSet());
  }

  Optional<SequenceConfig> read() {
    return model.inner("sequence_batching").map(this::read);
  }

  private SequenceConfig read(ProtoFields sequence) {
    return new SequenceConfig(
        sequence
            .microseconds("max_sequence_idle_microseconds")
            .filter(Duration::isPositive)
            .orElse(SequenceConfig.DEFAULT_MAX_IDLE),
        maxSequences(sequence),
        controls(sequence),
        sequence.inners("state").stream().map(this::state).toList());
  }

  /**
   * Returns the most sequences at once, as Triton has it: the candidates, or else as many as a
   * batch has slots.
   */
  private int maxSequences(ProtoFields sequence) {
    int slots = Math.max(1, model.number("max_batch_size", BatchingConfig.LARGEST_BATCH).orElse(0));
    return sequence
        .inner("oldest")
        .flatMap(oldest -> oldest.number("max_candidate_sequences", SequenceConfig.MOST_SEQUENCES))
        .filter(candidates -> candidates > 0)
        .orElse(slots);
  }

  private static List<Control> controls(ProtoFields sequence) {
    List<Control> controls = new ArrayList<>();
    for (ProtoFields input : sequence.inners("control_input")) {
      String name = required(input, "name");
      for (ProtoFields control : input.inners("control")) {
        controls.add(control(control, name));
      }
    }
    return controls;
  }

  private static Control control(ProtoFields control, String input) {
    String word = control.text("kind").orElse("CONTROL_SEQUENCE_START");
    ControlKind kind = KINDS.get(word);
    if (kind == null) {
      throw control.error("control.kind", word, "one of " + String.join(", ", KINDS.keySet()));
    }
    List<Double> values = values(control);
    return new Control(kind, input, values.getFirst(), values.getLast());
  }

  private static List<Double> values(ProtoFields control) {
    for (String field : VALUES) {
      if (control.has(field)) {
        List<Double> values = control.decimals(field);
        if (values.size() != 2) {
          throw control.error(field, values.size() + " values", "one for false and one for true");
        }
        return values;
      }
    }
    return List.of(0.0, 1.0);
  }

  private State state(ProtoFields state) {
    Optional<ProtoFields> initial = state.inner("initial_state");
    String output = required(state, "output_name");
    return new State(
        output,
        required(state, "input_name"),
        outputs.contains(output),
        initial.map(TritonSequences::dims).orElseGet(() -> dims(state)),
        initial
            .flatMap(values -> values.text("data_file"))
            .map(file -> Path.of("initial_state", file)));
  }

  /** Returns the initial dimensions: an open one has one element before the first request. */
  private static List<Long> dims(ProtoFields state) {
    return state.wholes("dims", -1).stream().map(Math::abs).toList();
  }

  private static String required(ProtoFields fields, String field) {
    return fields.text(field).orElseThrow(() -> fields.error(field, "missing", "a tensor's name"));
  }
}
