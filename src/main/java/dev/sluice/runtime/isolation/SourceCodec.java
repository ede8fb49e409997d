package dev.sluice.runtime.isolation;

import dev.sluice.config.model.IsolationConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.Threads;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.SessionOptions;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A model on disk and how to open it, in messages. Isolation itself is not part of it. */
final class SourceCodec {
  /** In place of a number of threads. */
  private static final int LEFT_OPEN = -1;

  private SourceCodec() {}

  static void write(ModelSource source, ProcessMessageWriter out) {
    out.putText(source.id().name()).putLong(source.id().version());
    out.putText(source.folder().toAbsolutePath().toString());
    OnnxConfig onnx = source.settings().onnx();
    write(onnx.threads(), out);
    out.putFlag(onnx.memoryArena()).putFlag(onnx.memoryPattern());
    out.putText(onnx.graphOptimization().name());
    TensorflowConfig tensorflow = source.settings().tensorflow();
    out.putInt(tensorflow.intraOpThreads()).putInt(tensorflow.interOpThreads());
    out.putInt(tensorflow.tags().size());
    tensorflow.tags().forEach(out::putText);
    out.putFlag(tensorflow.methodNames()).putText(tensorflow.sessionOptions().text());
    out.putFlag(tensorflow.mixedPrecision());
  }

  private static void write(Threads threads, ProcessMessageWriter out) {
    out.putInt(threads.intraOpThreads().orElse(LEFT_OPEN)).putInt(threads.interOpThreads());
    out.putFlag(threads.allowSpinning()).putFlag(threads.spread());
  }

  private static Threads threads(ProcessMessageReader in) {
    int intraOp = in.integer();
    return new Threads(
        intraOp == LEFT_OPEN ? Optional.empty() : Optional.of(intraOp),
        in.integer(),
        in.flag(),
        in.flag());
  }

  static ModelSource read(ProcessMessageReader in) {
    var id = new ModelId(in.text(), in.number());
    Path folder = Path.of(in.text());
    var onnx =
        new OnnxConfig(
            threads(in), in.flag(), in.flag(), OnnxConfig.GraphOptimization.valueOf(in.text()));
    int intraOpThreads = in.integer();
    int interOpThreads = in.integer();
    List<String> tags = new ArrayList<>();
    int count = in.integer();
    for (int i = 0; i < count; i++) {
      tags.add(in.text());
    }
    var tensorflow =
        new TensorflowConfig(
            intraOpThreads,
            interOpThreads,
            tags,
            in.flag(),
            new SessionOptions(in.text()),
            in.flag(),
            IsolationConfig.DEFAULT);
    return new ModelSource(id, folder, new RuntimesConfig(onnx, tensorflow));
  }
}
