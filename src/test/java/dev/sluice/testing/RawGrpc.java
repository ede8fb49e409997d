package dev.sluice.testing;

import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;

/** Sends empty messages to any gRPC method, to see with which status they come back. */
public final class RawGrpc implements AutoCloseable {
  private final ManagedChannel channel;

  /** Calls a port of this machine, without encryption. */
  public RawGrpc(int port) {
    this(ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build());
  }

  /** Takes a channel over. */
  public RawGrpc(ManagedChannel channel) {
    this.channel = channel;
  }

  /** Calls a method, such as {@code a.Service/Method}. */
  public Status call(String method) {
    return call(method, new Metadata());
  }

  /** The same with metadata. */
  public Status call(String method, Metadata metadata) {
    var presenting =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
    return RawCalls.call(presenting, method, new byte[0]).status();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
