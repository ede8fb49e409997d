package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.List;

/**
 * TensorFlow session options.
 *
 * @param intraOpThreads threads inside one operator; 0: TensorFlow chooses
 * @param interOpThreads threads across operators; -1: the calling thread runs the graph, 0:
 *     TensorFlow chooses
 * @param tags tags of the meta graph that is loaded
 * @param methodNames whether a signature may only be called as its method name says
 * @param sessionOptions further options of sessions: TensorFlow's ConfigProto as text
 * @param mixedPrecision whether oneDNN computes in bfloat16 where that is precise enough
 * @param isolation whether sessions have processes of their own
 */
public record TensorflowConfig(
    int intraOpThreads,
    int interOpThreads,
    List<String> tags,
    boolean methodNames,
    SessionOptions sessionOptions,
    boolean mixedPrecision,
    IsolationConfig isolation) {
  public TensorflowConfig {
    tags = List.copyOf(tags);
  }

  public static final TensorflowConfig DEFAULT = new TensorflowConfig(1, -1, List.of("serve"));

  /** With signatures that may be called in any way, in the server's own process. */
  public TensorflowConfig(int intraOpThreads, int interOpThreads, List<String> tags) {
    this(intraOpThreads, interOpThreads, tags, false, SessionOptions.NONE, false);
  }

  /** In the server's own process. */
  public TensorflowConfig(
      int intraOpThreads,
      int interOpThreads,
      List<String> tags,
      boolean methodNames,
      SessionOptions sessionOptions,
      boolean mixedPrecision) {
    this(
        intraOpThreads,
        interOpThreads,
        tags,
        methodNames,
        sessionOptions,
        mixedPrecision,
        IsolationConfig.DEFAULT);
  }

  /** Returns a copy with processes of their own, or not. */
  public TensorflowConfig with(IsolationConfig other) {
    return new TensorflowConfig(
        intraOpThreads, interOpThreads, tags, methodNames, sessionOptions, mixedPrecision, other);
  }

  /** More than any machine's cores. */
  private static final int MOST_THREADS = 1024;

  /** Reads the settings of how SavedModels are run. */
  public static TensorflowConfig read(Section tensorflow, TensorflowConfig defaults) {
    return new TensorflowConfig(
        tensorflow.number("intra_op_threads", defaults.intraOpThreads, 0, MOST_THREADS),
        tensorflow.number("inter_op_threads", defaults.interOpThreads, -1, MOST_THREADS),
        tensorflow.list("tags", defaults.tags, Setting::text),
        tensorflow.flag("method_names", defaults.methodNames),
        tensorflow
            .text("session_options")
            .map(text -> SessionOptions.read("tensorflow.session_options", text))
            .orElse(defaults.sessionOptions),
        tensorflow.flag("mixed_precision", defaults.mixedPrecision),
        IsolationConfig.read(tensorflow, defaults.isolation));
  }
}
