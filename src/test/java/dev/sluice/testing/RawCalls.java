package dev.sluice.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Sends whatever bytes as the message of a gRPC call. */
public final class RawCalls {
  private static final Marshaller<byte[]> BYTES =
      new Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private RawCalls() {}

  /** A method whose messages are bytes. */
  public static MethodDescriptor<byte[], byte[]> unary(String method) {
    return MethodDescriptor.newBuilder(BYTES, BYTES)
        .setType(MethodType.UNARY)
        .setFullMethodName(method)
        .build();
  }

  /** The answer's bytes; fails as stubs do. */
  public static byte[] send(Channel channel, String method, byte[] message) {
    return ClientCalls.blockingUnaryCall(channel, unary(method), CallOptions.DEFAULT, message);
  }

  /**
   * How a call ended.
   *
   * @param text the status and all messages, for tests that look for names in them
   */
  public record Outcome(Status status, String text) {
    private static Outcome of(Status status, ByteArrayOutputStream answer) {
      return new Outcome(status, status + " " + answer.toString(StandardCharsets.ISO_8859_1));
    }
  }

  /** Calls a method that answers with any number of messages. */
  public static Outcome call(Channel channel, String method, byte[] message) {
    var answer = new ByteArrayOutputStream();
    try {
      ClientCalls.blockingServerStreamingCall(
              channel,
              unary(method).toBuilder().setType(MethodType.SERVER_STREAMING).build(),
              CallOptions.DEFAULT,
              message)
          .forEachRemaining(answer::writeBytes);
      return Outcome.of(Status.OK, answer);
    } catch (StatusRuntimeException e) {
      return Outcome.of(e.getStatus(), answer);
    }
  }
}
