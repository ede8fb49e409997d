package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * V2 sequences: how requests that belong together share a state.
 *
 * @param maxIdle time after which an idle sequence is removed
 * @param maxSequences active sequences of each instance; the first request of one more waits
 * @param controls inputs that tell the model where in its sequence a request is
 * @param states outputs that are kept, and are inputs of the sequence's next request
 */
public record SequenceConfig(
    Duration maxIdle, int maxSequences, List<Control> controls, List<State> states) {
  public static final Duration DEFAULT_MAX_IDLE = Duration.ofSeconds(1);

  public static final int MOST_SEQUENCES = 1 << 20;

  private static final int DEFAULT_MAX_SEQUENCES = 1_024;
  private static final int LARGEST_DIM = 1 << 30;

  public SequenceConfig {
    controls = List.copyOf(controls);
    states = List.copyOf(states);
  }

  /** The meaning of a control input. A kind's name in settings is its constant's in lower case. */
  public enum ControlKind {
    /** input that is 1 in a sequence's first request, and otherwise 0. */
    START,
    /** input that is 1 while the slot has a request, and otherwise 0. */
    READY,
    /** input that is 1 in a sequence's last request, and otherwise 0. */
    END,
    /** input that has the correlation id. */
    ID
  }

  /**
   * An input that the server fills in.
   *
   * @param no its value for no
   * @param yes its value for yes; neither means anything for an id
   */
  public record Control(ControlKind kind, String input, double no, double yes) {}

  /**
   * A tensor that a sequence carries on.
   *
   * @param output output whose value is kept
   * @param input input that gets it in the next run
   * @param returned whether callers also get the output
   * @param dims shape of the first value, without the batch dimension; empty: the model's, with 1
   *     for open dimensions
   * @param file file with the bytes of the first value; empty: zeros
   */
  public record State(
      String output, String input, boolean returned, List<Long> dims, Optional<Path> file) {
    public State {
      dims = List.copyOf(dims);
    }

    private State in(Path modelFolder) {
      return new State(
          output,
          input,
          returned,
          dims,
          file.map(name -> ModelFiles.within(modelFolder, "sequence.state.file", name.toString())));
    }
  }

  static SequenceConfig read(Section sequence) {
    return new SequenceConfig(
        sequence.duration("max_idle", DEFAULT_MAX_IDLE),
        sequence.number("max_sequences", DEFAULT_MAX_SEQUENCES, 1, MOST_SEQUENCES),
        sequence.section("controls", SequenceConfig::controls),
        sequence.value("state").map(SequenceConfig::states).orElse(List.of()));
  }

  private static List<Control> controls(Section controls) {
    List<Control> read = new ArrayList<>();
    for (ControlKind kind : ControlKind.values()) {
      controls
          .text(kind.name().toLowerCase(Locale.ROOT))
          .ifPresent(input -> read.add(new Control(kind, input, 0, 1)));
    }
    return read;
  }

  private static List<State> states(Setting states) {
    return states.elements().stream()
        .map(state -> state.section().readAll(SequenceConfig::state))
        .toList();
  }

  private static State state(Section state) {
    return new State(
        required(state, "output"),
        required(state, "input"),
        state.flag("returned", false),
        state.list("dims", List.of(), dim -> (long) dim.number(0, LARGEST_DIM)),
        state.text("file").map(Path::of));
  }

  private static String required(Section state, String key) {
    return state.text(key).orElseThrow(() -> state.missing(key, "a tensor's name"));
  }

  /** Returns a copy with its files found in the model's folder. */
  SequenceConfig in(Path modelFolder) {
    return new SequenceConfig(
        maxIdle,
        maxSequences,
        controls,
        states.stream().map(state -> state.in(modelFolder)).toList());
  }
}
