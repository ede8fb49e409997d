package dev.sluice.runtime.isolation;

import dev.sluice.config.model.IsolationConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.SessionOptions;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A model on disk and how to open it, in messages. Isolation itself is not part of it. */
final class SourceCodec {
  private SourceCodec() {}

  static void write(ModelSource source, ProcessMessageWriter out) {
    out.putText(source.id().name()).putLong(source.id().version());
    out.putText(source.folder().toAbsolutePath().toString());
    OnnxConfig onnx = source.settings().onnx();
    out.putInt(onnx.intraOpThreads()).putInt(onnx.interOpThreads());
    out.putFlag(onnx.allowSpinning()).putFlag(onnx.memoryArena()).putFlag(onnx.memoryPattern());
    out.putText(onnx.graphOptimization().name());
    TensorflowConfig tensorflow = source.settings().tensorflow();
    out.putInt(tensorflow.intraOpThreads()).putInt(tensorflow.interOpThreads());
    out.putInt(tensorflow.tags().size());
    tensorflow.tags().forEach(out::putText);
    out.putFlag(tensorflow.methodNames()).putText(tensorflow.sessionOptions().text());
    out.putFlag(tensorflow.mixedPrecision());
  }

  static ModelSource read(ProcessMessageReader in) {
    var id = new ModelId(in.text(), in.number());
    Path folder = Path.of(in.text());
    var onnx =
        new OnnxConfig(
            in.integer(),
            in.integer(),
            in.flag(),
            in.flag(),
            in.flag(),
            OnnxConfig.GraphOptimization.valueOf(in.text()));
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
