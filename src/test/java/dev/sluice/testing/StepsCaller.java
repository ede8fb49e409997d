package dev.sluice.testing;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.HttpCaller.Answer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.concurrent.CompletionException;

/**
 * Sends one whole number, {@code steps}, to a model by any protocol, and says how that ended in the
 * words of the protocol. One thread at a time.
 */
public final class StepsCaller implements AutoCloseable {
  private static final Metadata.Key<String> TIMEOUT =
      Metadata.Key.of("request-timeout", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  /** What no client can connect to. */
  private static final Outcome REFUSED = new Outcome("refused", false, "");

  /**
   * How a request ended.
   *
   * @param code the status, or the statuses from the outer to the inner one
   * @param saysWhen whether the answer says when to try again
   * @param text what was answered
   */
  public record Outcome(String code, boolean saysWhen, String text) {}

  /**
   * What is asked.
   *
   * @param timeoutMillis how long the server may take; 0: as long as it wants
   */
  public record Request(String model, long steps, int timeoutMillis) {}

  /** A way to ask. The names are those of the columns on the page about faults. */
  public enum Protocol {
    TFS_REST("TFS REST") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        return caller.rest(caller.http, "/v1/models/" + request.model + ":predict", v1(request));
      }
    },
    KSERVE_V1("KServe V1") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        return caller.rest(caller.kserve, "/v1/models/" + request.model + ":predict", v1(request));
      }
    },
    V2_REST("V2 REST") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        String body =
            "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[%d]}]}"
                .formatted(request.steps);
        return caller.rest(
            caller.http, "/v2/models/" + request.model + "/infer", new Rest(body, request));
      }
    },
    EVENTS("events") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        String path = "/v2/models/" + request.model + "/generate_stream";
        String body = "{\"steps\":[" + request.steps + "]}";
        Outcome outcome = caller.rest(caller.http, path, new Rest(body, request));
        boolean failed = outcome.text.startsWith("data: {\"error\"");
        return failed
            ? new Outcome(outcome.code + ", error event", outcome.saysWhen, outcome.text)
            : outcome;
      }
    },
    GRPS_HTTP("grps HTTP") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        String body =
            """
            {"model":"%s","gtensors":{"tensors":[{"name":"steps","dtype":"DT_INT64",\
            "shape":[1],"flat_int64":[%d]}]}}\
            """
                .formatted(request.model, request.steps);
        return caller.rest(caller.http, "/grps/v1/infer/predict", new Rest(body, request));
      }
    },
    TFS_GRPC("TFS gRPC") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        return caller.grpc("tensorflow.serving.PredictionService/Predict", tfs(request), request);
      }
    },
    V2_GRPC("V2 gRPC") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        return caller.grpc("inference.GRPCInferenceService/ModelInfer", oip(request), request);
      }
    },
    V2_STREAM("ModelStreamInfer") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        String method = "inference.GRPCInferenceService/ModelStreamInfer";
        return caller.grpc(method, oip(request), request);
      }
    },
    GRPS_GRPC("grps gRPC") {
      @Override
      Outcome ask(StepsCaller caller, Request request) {
        return caller.grpc("grps.protos.v1.GrpsService/Predict", grps(request), request);
      }
    },
    BRPC("brpc") {
      @Override
      Outcome ask(StepsCaller caller, Request request) throws IOException {
        try (var brpc = new BrpcClient(caller.port)) {
          var call =
              new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1)
                  .within(request.timeoutMillis)
                  .from(caller.token);
          BrpcClient.Answer answer = brpc.ask(call, grps(request));
          int inner = GrpsMessage.parseFrom(answer.message()).getStatus().getCode();
          String code = answer.errorCode() == 0 ? "0, " + inner : "" + answer.errorCode();
          return new Outcome(code, false, answer.errorText() + answer.text());
        } catch (ConnectException e) {
          return REFUSED;
        }
      }
    };

    private final String column;

    Protocol(String column) {
      this.column = column;
    }

    abstract Outcome ask(StepsCaller caller, Request request) throws IOException;

    public String column() {
      return column;
    }
  }

  private record Rest(String body, Request request) {
    MultiMap headers(String token) {
      MultiMap headers = MultiMap.caseInsensitiveMultiMap();
      if (!token.isEmpty()) {
        headers.add("Authorization", "Bearer " + token);
      }
      headers.add("Content-Type", "application/json");
      if (request.timeoutMillis > 0) {
        headers.add("Request-Timeout", request.timeoutMillis + "ms");
      }
      return headers;
    }
  }

  private final int port;
  private final HttpCaller http;
  private final HttpCaller kserve;
  private final ManagedChannel channel;
  private final String token;

  /**
   * Asks a server.
   *
   * @param port where it speaks all protocols
   * @param kservePort where it speaks no other than KServe's
   */
  public StepsCaller(int port, int kservePort) {
    this(port, kservePort, "");
  }

  /** Asks likewise, and shows a token with every request; none if it is empty. */
  public StepsCaller(int port, int kservePort, String token) {
    this.port = port;
    this.token = token;
    http = new HttpCaller(port);
    kserve = new HttpCaller(kservePort);
    channel = ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
  }

  /** Asks, and waits for the end. */
  public Outcome ask(Protocol protocol, Request request) throws IOException {
    return protocol.ask(this, request);
  }

  /** The page of metrics. */
  public String metrics() {
    return http.send("GET", "/metrics", Buffer.buffer()).text();
  }

  private static Rest v1(Request request) {
    return new Rest("{\"inputs\":[" + request.steps + "]}", request);
  }

  private Outcome rest(HttpCaller caller, String path, Rest rest) {
    try {
      Answer answer = caller.send("POST", path, rest.headers(token), Buffer.buffer(rest.body));
      boolean saysWhen = answer.headers().contains("Retry-After");
      return new Outcome(Integer.toString(answer.status()), saysWhen, answer.text());
    } catch (CompletionException e) {
      if (e.getCause() instanceof ConnectException) {
        return REFUSED;
      }
      return new Outcome("broken", false, String.valueOf(e.getCause()));
    }
  }

  private Outcome grpc(String method, byte[] message, Request request) {
    var headers = new Metadata();
    if (request.timeoutMillis > 0) {
      headers.put(TIMEOUT, request.timeoutMillis + "ms");
    }
    if (!token.isEmpty()) {
      headers.put(AUTHORIZATION, "Bearer " + token);
    }
    Channel patient =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    try {
      Iterator<byte[]> answers =
          ClientCalls.blockingServerStreamingCall(
              patient,
              RawCalls.unary(method).toBuilder().setType(MethodType.SERVER_STREAMING).build(),
              CallOptions.DEFAULT,
              message);
      String inner = "";
      String text = "";
      while (answers.hasNext()) {
        byte[] answer = answers.next();
        inner = inner(method, answer);
        text = ByteString.copyFrom(answer).toStringUtf8();
      }
      return new Outcome("OK" + inner, false, text);
    } catch (StatusRuntimeException e) {
      return ended(e);
    } catch (IOException e) {
      return new Outcome("broken", false, e.toString());
    }
  }

  /** What an answer says of its own success, besides the status of its call. */
  private static String inner(String method, byte[] answer) throws IOException {
    if (method.endsWith("ModelStreamInfer")) {
      String error = ModelStreamInferResponse.parseFrom(answer).getErrorMessage();
      return error.isEmpty() ? "" : ", error message";
    }
    return method.startsWith("grps")
        ? ", " + GrpsMessage.parseFrom(answer).getStatus().getCode()
        : "";
  }

  private static Outcome ended(StatusRuntimeException failure) {
    Status status = failure.getStatus();
    if (status.getCause() instanceof ConnectException) {
      return REFUSED;
    }
    Metadata trailers = Status.trailersFromThrowable(failure);
    boolean saysWhen = trailers != null && trailers.containsKey(PUSHBACK);
    return new Outcome(status.getCode().name(), saysWhen, String.valueOf(status.getDescription()));
  }

  private static byte[] oip(Request request) {
    ByteBuffer raw = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    raw.putLong(0, request.steps);
    var message = ModelInferRequest.newBuilder().setModelName(request.model);
    message.addInputsBuilder().setName("steps").setDatatype("INT64").addShape(1);
    return message.addRawInputContents(ByteString.copyFrom(raw)).build().toByteArray();
  }

  private static byte[] tfs(Request request) {
    var tensor =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_INT64)
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(1)))
            .addInt64Val(request.steps);
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName(request.model))
        .putInputs("steps", tensor.build())
        .build()
        .toByteArray();
  }

  private static byte[] grps(Request request) {
    var tensor =
        GenericTensor.newBuilder()
            .setName("steps")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_INT64)
            .addShape(1)
            .addFlatInt64(request.steps);
    return GrpsMessage.newBuilder()
        .setModel(request.model)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build()
        .toByteArray();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    http.close();
    kserve.close();
  }
}
