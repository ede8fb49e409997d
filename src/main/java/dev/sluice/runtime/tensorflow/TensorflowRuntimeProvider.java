package dev.sluice.runtime.tensorflow;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.NativeLibrary;
import dev.sluice.runtime.RuntimeProvider;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Opens folders with a {@code saved_model.pb}, or the same as text.
 *
 * <p>A model is recognised by its file's name alone; nothing is read before it is loaded.
 */
public final class TensorflowRuntimeProvider implements RuntimeProvider {
  /** TensorFlow names no file when it says this. */
  private static final String CUT = "Read less bytes than requested";

  private final RunTotals totals = new RunTotals();

  /** Returns the totals of all its sessions. */
  public RunTotals totals() {
    return totals;
  }

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
    requireShipped(source);
    TfLibrary.load();
    try {
      return TensorflowSession.open(source.folder(), source.settings().tensorflow(), totals);
    } catch (InferenceException e) {
      // TensorFlow's implementation: a missing file is NOT_FOUND, a cut one DATA_LOSS.
      throw new InferenceException(
          e.code(),
          "model %s: cannot open %s: %s"
              .formatted(source.id(), source.folder(), explain(String.valueOf(e.getMessage()))),
          e);
    }
  }

  /** Throws an exception that says what to do where the distribution has ONNX Runtime alone. */
  private void requireShipped(ModelSource source) {
    if (NativeLibrary.has("onnx") && !NativeLibrary.has(name())) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model %s is a SavedModel, and this is the distribution of Sluice without TensorFlow;"
                  .formatted(source.id())
              + " the one with it is built without FLAVOUR=onnx and is the image without -onnx");
    }
  }

  /** Says what TensorFlow's text leaves out. */
  private static String explain(String text) {
    return text.contains(CUT)
        ? text + "; one of its files is cut short, or not what its name says"
        : MissingOperation.explain(text);
  }
}
