package dev.sluice.runtime.tensorflow;

import dev.sluice.runtime.NativeLibrary;
import java.lang.foreign.SymbolLookup;

/** Finds the libraries that make up TensorFlow. */
final class TfLibrary {
  private static final String FRAMEWORK = "tensorflow/libtensorflow_framework.so.2";
  private static final String OPERATORS = "tensorflow/libtensorflow_cc.so.2";

  private TfLibrary() {}

  /**
   * Loads the libraries, or finds them loaded.
   *
   * @throws dev.sluice.inference.InferenceException with FAILED_PRECONDITION if one is missing
   */
  static SymbolLookup load() {
    // Errors and nothing less: what a run has to say comes back as its status.
    NativeLibrary.setEnvironment("TF_CPP_MIN_LOG_LEVEL", "2");
    SymbolLookup framework = NativeLibrary.load(FRAMEWORK);
    return NativeLibrary.load(OPERATORS).or(framework);
  }
}
