package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelOutput;
import dev.sluice.config.compat.triton.proto.ModelSequenceBatching;
import dev.sluice.config.compat.triton.proto.ModelSequenceBatching.ControlInput;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.SequenceConfig.Control;
import dev.sluice.config.model.SequenceConfig.ControlKind;
import dev.sluice.config.model.SequenceConfig.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Translates the part of a Triton configuration about sequences. */
final class TritonSequences {
  private static final String TENSOR = "a tensor's name";

  private final TritonFields fields;
  private final ModelConfig model;
  private final Set<String> outputs;

  TritonSequences(TritonFields fields, ModelConfig model) {
    this.fields = fields;
    this.model = model;
    this.outputs =
        model.getOutputList().stream().map(ModelOutput::getName).collect(Collectors.toSet());
  }

  Optional<SequenceConfig> read() {
    return model.hasSequenceBatching()
        ? Optional.of(read(model.getSequenceBatching()))
        : Optional.empty();
  }

  private SequenceConfig read(ModelSequenceBatching sequence) {
    Duration idle =
        fields.microseconds(
            "max_sequence_idle_microseconds", sequence.getMaxSequenceIdleMicroseconds());
    return new SequenceConfig(
        idle.isPositive() ? idle : SequenceConfig.DEFAULT_MAX_IDLE,
        maxSequences(sequence),
        sequence.getControlInputList().stream().flatMap(this::controls).toList(),
        sequence.getStateList().stream().map(this::state).toList());
  }

  /**
   * Returns the most sequences at once, as Triton has it: the candidates, or else as many as a
   * batch has slots.
   */
  private int maxSequences(ModelSequenceBatching sequence) {
    int candidates =
        fields.number(
            "max_candidate_sequences",
            sequence.getOldest().getMaxCandidateSequences(),
            SequenceConfig.MOST_SEQUENCES);
    return candidates > 0 ? candidates : Math.max(1, TritonScheduling.largest(fields, model));
  }

  private Stream<Control> controls(ControlInput input) {
    String name = fields.required("name", input.getName(), TENSOR);
    return input.getControlList().stream().map(control -> control(control, name));
  }

  private Control control(ModelSequenceBatching.Control control, String input) {
    List<Double> values = values(control);
    ControlKind kind =
        switch (control.getKind()) {
          case CONTROL_SEQUENCE_READY -> ControlKind.READY;
          case CONTROL_SEQUENCE_END -> ControlKind.END;
          case CONTROL_SEQUENCE_CORRID -> ControlKind.ID;
          case CONTROL_SEQUENCE_START, UNRECOGNIZED -> ControlKind.START;
        };
    return new Control(kind, input, values.getFirst(), values.getLast());
  }

  /** Returns the values for no and yes, which are of one of three types. */
  private List<Double> values(ModelSequenceBatching.Control control) {
    if (control.getInt32FalseTrueCount() > 0) {
      return pair(
          "int32_false_true",
          control.getInt32FalseTrueList().stream().map(Integer::doubleValue).toList());
    }
    if (control.getFp32FalseTrueCount() > 0) {
      return pair(
          "fp32_false_true",
          control.getFp32FalseTrueList().stream().map(Float::doubleValue).toList());
    }
    if (control.getBoolFalseTrueCount() > 0) {
      return pair(
          "bool_false_true",
          control.getBoolFalseTrueList().stream().map(yes -> yes ? 1.0 : 0.0).toList());
    }
    return List.of(0.0, 1.0);
  }

  private List<Double> pair(String field, List<Double> values) {
    if (values.size() != 2) {
      throw fields.error(field, values.size() + " values", "one for false and one for true");
    }
    return values;
  }

  private State state(ModelSequenceBatching.State state) {
    String output = fields.required("output_name", state.getOutputName(), TENSOR);
    String input = fields.required("input_name", state.getInputName(), TENSOR);
    if (state.getInitialStateCount() == 0) {
      return new State(
          output, input, outputs.contains(output), dims(state.getDimsList()), Optional.empty());
    }
    var initial = state.getInitialState(state.getInitialStateCount() - 1);
    return new State(
        output,
        input,
        outputs.contains(output),
        dims(initial.getDimsList()),
        initial.hasDataFile()
            ? Optional.of(Path.of("initial_state", initial.getDataFile()))
            : Optional.empty());
  }

  /** Returns the initial dimensions: an open one has one element before the first request. */
  private List<Long> dims(List<Long> declared) {
    return fields.dims("dims", declared).stream().map(Math::abs).toList();
  }
}
