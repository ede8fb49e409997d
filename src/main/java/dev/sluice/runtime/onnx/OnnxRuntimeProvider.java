package dev.sluice.runtime.onnx;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens {@code model.onnx} files. */
public final class OnnxRuntimeProvider implements RuntimeProvider {
  private static final String FILE = "model.onnx";

  @Override
  public String name() {
    return "onnx";
  }

  @Override
  public boolean recognises(Path folder) {
    return Files.isRegularFile(modelFile(folder));
  }

  @Override
  public ModelSession open(ModelSource source) {
    OrtLibrary.load();
    Path file = modelFile(source.folder());
    try {
      return OnnxSession.open(file, source.settings().onnx());
    } catch (InferenceException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "model " + source.id() + ": cannot open " + file + ": " + e.getMessage(),
          e);
    }
  }

  private static Path modelFile(Path folder) {
    boolean isFile = String.valueOf(folder.getFileName()).endsWith(".onnx");
    return isFile && !Files.isDirectory(folder) ? folder : folder.resolve(FILE);
  }
}
