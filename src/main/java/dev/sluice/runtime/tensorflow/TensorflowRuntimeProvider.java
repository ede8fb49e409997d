package dev.sluice.runtime.tensorflow;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens folders with a {@code saved_model.pb}, or the same as text. */
public final class TensorflowRuntimeProvider implements RuntimeProvider {
  @Override
  public String name() {
    return "tensorflow";
  }

  @Override
  public boolean recognises(Path folder) {
    return Files.isRegularFile(folder.resolve("saved_model.pb"))
        || Files.isRegularFile(folder.resolve("saved_model.pbtxt"));
  }

  @Override
  public ModelSession open(ModelSource source) {
    TfLibrary.load();
    try {
      return TensorflowSession.open(source.folder(), source.settings().tensorflow());
    } catch (InferenceException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "model " + source.id() + ": cannot open " + source.folder() + ": " + e.getMessage(),
          e);
    }
  }
}
