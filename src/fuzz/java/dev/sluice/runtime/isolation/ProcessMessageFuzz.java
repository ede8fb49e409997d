package dev.sluice.runtime.isolation;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;

/**
 * Messages between the server and a model's process, by the digit in front: 0 a model's metadata, 1
 * a signature, 2 a tensor, 3 a source. What is none is refused as the reader declares it.
 */
final class ProcessMessageFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(4);
    var in = new ProcessMessageReader();
    try {
      in.receive(new ByteArrayInputStream(bytes.rest()));
      switch (kind) {
        case 0 -> SignatureCodec.readMetadata(in);
        case 1 -> SignatureCodec.read(in);
        case 2 -> TensorCodec.read(in);
        default -> SourceCodec.read(in);
      }
    } catch (IOException | BufferUnderflowException | IllegalArgumentException e) {
      // No message.
    }
  }
}
