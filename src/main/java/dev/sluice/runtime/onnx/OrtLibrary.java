package dev.sluice.runtime.onnx;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeLibrary;
import dev.sluice.runtime.NativeMemory;
import dev.sluice.runtime.NativeSignature;
import dev.sluice.runtime.NativeType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/** Finds the table of functions that is ONNX Runtime's C API. */
final class OrtLibrary {
  private static final String FILE = "onnx/libonnxruntime.so";

  /** The C API's version: the runtime's minor version. Older libraries refuse it. */
  private static final int API_VERSION = 28;

  private OrtLibrary() {}

  /**
   * Loads the library, or finds it loaded.
   *
   * @return the address of the table
   * @throws InferenceException with FAILED_PRECONDITION if it is missing or too old
   */
  static long load() {
    // Read when the library is loaded. This server sends no telemetry.
    NativeLibrary.setEnvironment("ORT_DISABLE_TELEMETRY", "1");
    SymbolLookup library = NativeLibrary.load(FILE);
    long base =
        NativeFunction.at(
                library.findOrThrow("OrtGetApiBase"), NativeSignature.of(NativeType.POINTER))
            .call();
    MemorySegment getApi = MemorySegment.ofAddress(NativeMemory.getLong(base));
    long table =
        NativeFunction.at(getApi, NativeSignature.of(NativeType.POINTER, NativeType.INT32))
            .call(API_VERSION);
    if (table == 0) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, FILE + " is older than ONNX Runtime 1." + API_VERSION);
    }
    return table;
  }
}
