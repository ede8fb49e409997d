package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.oip.SharedMemorySlice;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ClientStream;
import dev.sluice.transport.StreamPump;
import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request of a stream, and its answers. Of the call's event loop. */
final class StreamedRequest implements ClientStream {
  private static final String FINAL = "triton_final_response";

  private final InferStream stream;
  private final WireRequest wire;
  private final CallRecord record;
  private @Nullable StreamPump pump;

  /** Of the model, once it is known: before anything is encoded. */
  private @Nullable ModelMetadata model;

  /** By output, where in shared memory it goes. */
  private Map<String, SharedMemorySlice> slots = Map.of();

  /**
   * True while its answers keep the order of requests: until its model is known, and if there is
   * none.
   */
  private boolean ordered = true;

  private boolean finalSent;

  /** Is counted by itself: a stream has any number of requests, for any models. */
  StreamedRequest(InferStream stream, WireRequest wire, CallRecord record) {
    this.stream = stream;
    this.wire = wire;
    this.record = record;
    record.measure(Api.OIP_STREAM, wire.modelName());
    record.sample(wire.modelName());
  }

  void begin(StreamPump answers, InferRequestReader.Decoded decoded) {
    ModelMetadata served = decoded.request().model().metadata();
    pump = answers;
    model = served;
    slots = decoded.slots();
    record.traces(decoded.request(), decoded.id());
    record.asked(decoded.request());
    ordered = !served.decoupled();
  }

  /** Returns what counts it. */
  CallRecord record() {
    return record;
  }

  /** Returns whether its answers go out in the order of requests. */
  boolean isOrdered() {
    return ordered;
  }

  void abandon() {
    record.failed(ErrorCode.CANCELLED);
    record.sent();
    if (pump != null) {
      pump.leave();
    }
  }

  /** Returns the message for one response, which stays the caller's. Any thread. */
  Buffer encode(InferenceResponse response) {
    Map<String, ParameterValue> parameters = new LinkedHashMap<>(response.parameters());
    parameters.put(FINAL, new ParameterValue.Flag(response.last()));
    finalSent |= response.last();
    var whole =
        new InferenceResponse(
            response.model(),
            response.signature(),
            response.outputs(),
            parameters,
            response.last());
    return wrap(
        InferResponseWriter.encode(
            whole, wire.classes(), Objects.requireNonNull(model, "has begun"), wire.id(), slots));
  }

  private static Buffer wrap(Buffer message) {
    var head = new ProtobufWriter(2 * Integer.BYTES);
    head.begin(ModelStreamInferResponse.INFER_RESPONSE_FIELD_NUMBER, message.length());
    return Buffers.join(head.toBuffer(), message);
  }

  @Override
  public boolean isWriteQueueFull() {
    return stream.call().isWriteQueueFull() || (ordered && !stream.isTurnOf(this));
  }

  @Override
  public void onWritable(Runnable action) {
    stream.onWritable(action);
  }

  @Override
  public void write(Buffer message) {
    stream.call().write(message);
  }

  /** A stream that has ended without a last response may have one that says just that. */
  @Override
  public void end() {
    record.answered();
    record.succeeded();
    if (!finalSent && wire.parameters().emptyFinal()) {
      write(encode(ModelStreamInferResponse.newBuilder().setInferResponse(bare(true))));
    }
    record.sent();
    stream.done(this);
  }

  @Override
  public void fail(Throwable failure) {
    record.failed(ErrorCode.of(failure));
    if (stream.endsOnFailure()) {
      record.sent();
      stream.call().fail(failure);
      return;
    }
    if (!stream.isTurnOf(this)) {
      stream.onWritable(() -> fail(failure));
      return;
    }
    InferenceException reported = stream.explain(failure);
    write(
        encode(
            ModelStreamInferResponse.newBuilder()
                .setErrorMessage(reported.getMessage())
                .setInferResponse(bare(true))));
    record.sent();
    stream.done(this);
  }

  /** Returns a response that names the request, and says nothing else. */
  private ModelInferResponse bare(boolean last) {
    return ModelInferResponse.newBuilder()
        .setId(wire.id())
        .setModelName(wire.modelName())
        .setModelVersion(wire.modelVersion())
        .putParameters(FINAL, InferParameter.newBuilder().setBoolParam(last).build())
        .build();
  }

  private static Buffer encode(ModelStreamInferResponse.Builder message) {
    return Buffers.wrap(message.build().toByteArray());
  }
}
