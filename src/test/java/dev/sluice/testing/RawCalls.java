package dev.sluice.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

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
}
