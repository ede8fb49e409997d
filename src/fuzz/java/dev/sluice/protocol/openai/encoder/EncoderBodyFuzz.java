package dev.sluice.protocol.openai.encoder;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.fuzz.SameTensors;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.Body;
import java.util.List;

/**
 * Bodies that ask for vectors or scores of texts, by the digit in front: 0 embeddings, 1 rerank.
 * What is read is the same each time.
 */
final class EncoderBodyFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    boolean embeddings = bytes.below(2) == 0;
    byte[] body = bytes.rest();
    List<NamedTensor> once = inputs(embeddings, body);
    List<NamedTensor> again = inputs(embeddings, body);
    try {
      SameTensors.require(once, again);
    } finally {
      NamedTensor.closeAll(once);
      NamedTensor.closeAll(again);
    }
  }

  private static List<NamedTensor> inputs(boolean embeddings, byte[] body) {
    EncoderCall call =
        Rejection.request(() ->
            embeddings ? EmbeddingReader.read(Body.of(body)) : RerankReader.read(Body.of(body)));
    if (call == null) {
      return List.of();
    }
    try (call) {
      return call.take();
    }
  }
}
