package dev.sluice.boot.infer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.Status.StatusFlag;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.tensor.DataType;
import java.net.URLEncoder;
import java.nio.BufferUnderflowException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Protocol of {@code sluice infer}: the targets and the forms of its requests. */
enum WireProtocol {
  V2("v2"),
  V2_GRPC("v2-grpc"),
  V1("v1"),
  TFS("tfs"),
  TFS_GRPC("tfs-grpc"),
  GRPS("grps"),
  GRPS_GRPC("grps-grpc");

  private final String word;

  WireProtocol(String word) {
    this.word = word;
  }

  static WireProtocol of(String word) {
    return Arrays.stream(values())
        .filter(protocol -> protocol.word.equals(word))
        .findFirst()
        .orElseThrow(() ->
            new ConfigException(
                "--protocol is '"
                    + word
                    + "'; wanted one of "
                    + Arrays.stream(values())
                        .map(protocol -> protocol.word)
                        .collect(Collectors.joining(", "))));
  }

  /**
   * Requires that a version is a number; none is the server's own choice.
   *
   * @throws ConfigException if it is something else
   */
  static void requireNumber(@Nullable String version) {
    if (version != null && !version.matches("\\d{1,18}")) {
      throw new ConfigException("--version is '" + version + "'; wanted a whole number");
    }
  }

  boolean isGrpc() {
    return this == V2_GRPC || this == TFS_GRPC || this == GRPS_GRPC;
  }

  String path(String model, @Nullable String version) {
    String of = encoded(model) + (version == null ? "" : "/versions/" + encoded(version));
    return switch (this) {
      case V2 -> "/v2/models/" + of + "/infer";
      case V1, TFS -> "/v1/models/" + of + ":predict";
      case GRPS -> "/grps/v1/infer/predict";
      case V2_GRPC -> "/inference.GRPCInferenceService/ModelInfer";
      case TFS_GRPC -> "/tensorflow.serving.PredictionService/Predict";
      case GRPS_GRPC -> "/grps.protos.v1.GrpsService/Predict";
    };
  }

  /** Returns the JSON of a request with some inputs, for all outputs or for some. */
  ObjectNode form(List<InputTensor> inputs, List<String> outputs) {
    if (!outputs.isEmpty() && this != V2 && this != V2_GRPC && this != TFS_GRPC) {
      throw new ConfigException("--output cannot be said by the protocol " + word);
    }
    return switch (this) {
      case V2, V2_GRPC -> RequestForms.openInference(inputs, outputs);
      case V1 -> RequestForms.rows(inputs);
      case TFS -> RequestForms.columns(inputs);
      case TFS_GRPC -> RequestForms.predict(inputs, outputs);
      case GRPS, GRPS_GRPC -> RequestForms.grps(inputs);
    };
  }

  /** Returns the body of a request, which names the model where its path does not. */
  byte[] body(ObjectNode request, String model, @Nullable String version) {
    if ((this == GRPS || this == GRPS_GRPC) && !request.has("model")) {
      request.put("model", version == null ? model : model + "-" + version);
    }
    return switch (this) {
      case V2, V1, TFS, GRPS -> request.toString().getBytes(StandardCharsets.UTF_8);
      case V2_GRPC -> inferRequest(request, model, version).toByteArray();
      case TFS_GRPC -> predictRequest(request, model, version).toByteArray();
      case GRPS_GRPC -> {
        var message = GrpsMessage.newBuilder();
        merge(request, message);
        yield message.build().toByteArray();
      }
    };
  }

  private static Message inferRequest(ObjectNode request, String model, @Nullable String version) {
    var message = ModelInferRequest.newBuilder();
    merge(RequestForms.openInferenceMessage(request), message);
    message.setModelName(model);
    if (version != null) {
      message.setModelVersion(version);
    }
    return message.build();
  }

  private static Message predictRequest(
      ObjectNode request, String model, @Nullable String version) {
    var message = PredictRequest.newBuilder();
    merge(request, message);
    message.getModelSpecBuilder().setName(model);
    if (version != null) {
      message.getModelSpecBuilder().setVersion(Int64Value.of(Long.parseLong(version)));
    }
    return message.build();
  }

  private static void merge(ObjectNode request, Message.Builder message) {
    try {
      JsonFormat.parser().merge(request.toString(), message);
    } catch (InvalidProtocolBufferException e) {
      throw new ConfigException(
          "the request is no " + message.getDescriptorForType().getName() + ": " + e.getMessage());
    }
  }

  /** Returns a response as JSON; one of V2 over gRPC in the form that it has over REST. */
  String shown(byte[] response) {
    try {
      return switch (this) {
        case V2, V1, TFS, GRPS -> new String(response, StandardCharsets.UTF_8).strip();
        case V2_GRPC -> shown(ModelInferResponse.parseFrom(response)).toString();
        case TFS_GRPC -> json(PredictResponse.parseFrom(response));
        case GRPS_GRPC -> json(succeeded(GrpsMessage.parseFrom(response)));
      };
    } catch (InvalidProtocolBufferException e) {
      throw new InferFailure("the response is no message of " + word + ": " + e.getMessage());
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw new InferFailure("the response holds a tensor that is none of " + word + ": " + e);
    }
  }

  /** Refuses a response that says of itself, not by its call, that the request failed. */
  private static GrpsMessage succeeded(GrpsMessage response) {
    if (response.getStatus().getStatus() == StatusFlag.FAILURE) {
      throw new InferFailure(response.getStatus().getCode() + ": " + response.getStatus().getMsg());
    }
    return response;
  }

  private static String json(MessageOrBuilder message) throws InvalidProtocolBufferException {
    return JsonFormat.printer()
        .preservingProtoFieldNames()
        .omittingInsignificantWhitespace()
        .print(message);
  }

  private static ObjectNode shown(ModelInferResponse response) {
    ObjectNode shown = JsonNodeFactory.instance.objectNode();
    shown.put("model_name", response.getModelName());
    shown.put("model_version", response.getModelVersion());
    ArrayNode outputs = shown.putArray("outputs");
    for (int i = 0; i < response.getOutputsCount(); i++) {
      var output = response.getOutputs(i);
      ObjectNode tensor = outputs.addObject().put("name", output.getName());
      tensor.put("datatype", output.getDatatype());
      output.getShapeList().forEach(tensor.putArray("shape")::add);
      if (i < response.getRawOutputContentsCount()) {
        tensor.set(
            "data",
            RawElements.read(
                DataType.valueOf(output.getDatatype()),
                response
                    .getRawOutputContents(i)
                    .asReadOnlyByteBuffer()
                    .order(ByteOrder.LITTLE_ENDIAN)));
      }
    }
    return shown;
  }

  private static String encoded(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
