package dev.sluice.transport.grpc.method;

import dev.sluice.inference.InferenceException;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.transport.ClientStream;

/** A gRPC call that is answered message by message: what is written is one whole message. */
public interface GrpcStreamCall extends GrpcCall, ClientStream {
  /**
   * Returns the text of a failure for the client: an {@link InferenceException} as it is. Anything
   * else is a bug, which is logged here.
   */
  InferenceException explain(Throwable failure);

  /** Counts one request of a call that has several, beside {@link #record}. Begins now. */
  CallRecord newRecord();
}
