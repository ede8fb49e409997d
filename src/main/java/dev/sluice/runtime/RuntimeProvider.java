package dev.sluice.runtime;

import java.nio.file.Path;

/** Opens models of one format. Implementations are thread-safe and cheap until they open one. */
public interface RuntimeProvider {
  /** Returns the key of this runtime in settings: {@code onnx}, {@code tensorflow}. */
  String name();

  /**
   * Returns whether a version's folder (or a file in its place) holds a whole model of this format.
   */
  boolean recognises(Path folder);

  /**
   * Opens a model. Blocks, often for seconds; runs on a loading worker, never on an event loop. The
   * runtime's native library is loaded by the first call and not before.
   *
   * @throws dev.sluice.inference.InferenceException with a text that names the file and the fault
   */
  ModelSession open(ModelSource source);
}
