package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDefMap;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * One call to TensorFlow Serving's services and what its answer must be, from a file of {@code
 * conformance}: messages as protobuf's JSON; for a failure, its {@code code} and the text, {@code
 * error} or {@code error_starts}.
 */
public record GrpcCase(JsonNode data) {
  private static final TypeRegistry TYPES =
      TypeRegistry.newBuilder().add(SignatureDefMap.getDescriptor()).build();

  /** All calls of a file, such as {@code tfs/grpc}. */
  public static List<GrpcCase> of(String file) {
    return ConformanceCase.of(file).stream().map(each -> new GrpcCase(each.data())).toList();
  }

  /** Makes the call and checks the answer. */
  public void replay(Channel channel) {
    var method = method();
    var descriptor = descriptor(method);
    DynamicMessage request = message(method.getInputType(), data.get("request"));
    if (data.has("response")) {
      assertThat(call(channel, descriptor, request))
          .isEqualTo(message(method.getOutputType(), data.get("response")));
    } else {
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> call(channel, descriptor, request))
          .satisfies(failure -> check(failure.getStatus()));
    }
  }

  private void check(Status status) {
    assertThat(status.getCode()).isEqualTo(Status.Code.valueOf(data.get("code").asText()));
    if (data.has("error")) {
      assertThat(status.getDescription()).isEqualTo(data.get("error").asText());
    } else {
      assertThat(status.getDescription()).startsWith(data.get("error_starts").asText());
    }
  }

  private com.google.protobuf.Descriptors.MethodDescriptor method() {
    String name = data.get("method").asText();
    return Services.getDescriptor().getServices().stream()
        .map((ServiceDescriptor service) -> service.findMethodByName(name))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow();
  }

  private static MethodDescriptor<DynamicMessage, DynamicMessage> descriptor(
      com.google.protobuf.Descriptors.MethodDescriptor method) {
    return MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(
            MethodDescriptor.generateFullMethodName(
                method.getService().getFullName(), method.getName()))
        .setRequestMarshaller(
            ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
        .setResponseMarshaller(
            ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
        .build();
  }

  private static DynamicMessage call(
      Channel channel,
      MethodDescriptor<DynamicMessage, DynamicMessage> method,
      DynamicMessage request) {
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
    return ClientCalls.blockingUnaryCall(channel, method, options, request);
  }

  private static DynamicMessage message(Descriptor type, JsonNode json) {
    var builder = DynamicMessage.newBuilder(type);
    try {
      JsonFormat.parser().usingTypeRegistry(TYPES).merge(json.toString(), builder);
      return builder.build();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("no " + type.getName() + ": " + json, e);
    }
  }

  /** As test reports show it. */
  @Override
  public String toString() {
    return data.get("id").asText() + ": " + data.get("shows").asText();
  }
}
