package dev.sluice.runtime.tensorflow;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.inference.InferenceException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The MetaGraphDef of a SavedModel that TensorFlow has loaded: signatures, variables. A damaged one
 * is the server's fault, with a text.
 */
final class MetaGraphFuzz implements FuzzTarget {
  private static final Path NOWHERE = Path.of("nowhere");

  @Override
  public void accept(byte[] input) {
    rejected(() -> SignatureReader.read(ByteBuffer.wrap(input)));
    rejected(() -> DeclaredVariables.require(NOWHERE, ByteBuffer.wrap(input)));
  }

  private static void rejected(Runnable read) {
    try {
      read.run();
    } catch (InferenceException e) {
      if (String.valueOf(e.getMessage()).isBlank()) {
        throw new AssertionError("no text", e);
      }
    }
  }
}
