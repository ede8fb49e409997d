package dev.sluice.protocol.tfs.http;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.tensor.BytesElements;
import dev.sluice.transport.Body;

/** Bodies of {@code :classify} and {@code :regress}: what is taken is a tf.Example to protobuf. */
final class TfsExamplesFuzz implements FuzzTarget {
  private static final long MOST_CONTEXT = 1_000;

  @Override
  public void accept(byte[] input) {
    ExamplesDocument.Examples read =
        Rejection.part(
            JsonException.class, () -> ExamplesDocument.read(Body.of(input), MOST_CONTEXT));
    if (read == null) {
      return;
    }
    try (var tensor = read.examples()) {
      var elements = new BytesElements(tensor);
      while (elements.next()) {
        requireExample(elements.toArray());
      }
    }
  }

  /** Names are passed on as they come, right UTF-8 or not; the model reports them. */
  private static void requireExample(byte[] bytes) {
    try {
      var _ = Example.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      if (!String.valueOf(e.getMessage()).contains("UTF-8")) {
        throw new AssertionError("no tf.Example", e);
      }
    }
  }
}
