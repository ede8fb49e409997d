package dev.sluice.runtime.onnx;

import dev.sluice.config.OnnxConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.List;

/** One ONNX model, loaded. */
final class OnnxSession implements ModelSession {
  private final ModelMetadata metadata;
  private final SessionHandle handle;
  private final OnnxRun run;
  private boolean closed;

  private OnnxSession(long session, ModelMetadata metadata) {
    this.metadata = metadata;
    this.handle = new SessionHandle(session);
    this.run = new OnnxRun(handle, metadata.signatures().values().iterator().next());
  }

  static OnnxSession open(Path file, OnnxConfig config) {
    long session = OnnxSessionOptions.createSession(file, config);
    try {
      return new OnnxSession(session, OnnxMetadataReader.read(session));
    } catch (RuntimeException e) {
      OrtApi.releaseSession(session);
      throw e;
    }
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    if (closed) {
      throw new IllegalStateException("the session is closed");
    }
    return run.run(inputs, outputs);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      run.close();
      handle.release();
    }
  }
}
