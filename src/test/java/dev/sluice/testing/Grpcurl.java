package dev.sluice.testing;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.sluice.protocol.grps.grpc.proto.Grps;
import dev.sluice.protocol.oip.grpc.proto.ServiceProto;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Does what the tool of this name does with {@code -plaintext -d JSON ADDRESS SERVICE/METHOD}. */
public final class Grpcurl {
  private static final Pattern LINE =
      Pattern.compile(
          "grpcurl -plaintext -d '(?<json>.*)' (?<address>\\S+) (?<service>\\S+)/(?<method>\\S+)");

  private static final List<FileDescriptor> FILES =
      List.of(Grps.getDescriptor(), ServiceProto.getDescriptor(), Services.getDescriptor());

  private Grpcurl() {}

  /** The answer as JSON. */
  public static String run(String line) throws InvalidProtocolBufferException {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not a line of this form: " + line);
    }
    MethodDescriptor method = method(parts.group("service"), parts.group("method"));
    var request = DynamicMessage.newBuilder(method.getInputType());
    JsonFormat.parser().merge(parts.group("json"), request);
    ManagedChannel channel =
        ManagedChannelBuilder.forTarget(parts.group("address")).usePlaintext().build();
    try {
      DynamicMessage answer =
          ClientCalls.blockingUnaryCall(
              channel, callable(method), CallOptions.DEFAULT, request.build());
      return JsonFormat.printer().preservingProtoFieldNames().print(answer);
    } finally {
      channel.shutdownNow();
    }
  }

  private static io.grpc.MethodDescriptor<DynamicMessage, DynamicMessage> callable(
      MethodDescriptor method) {
    return io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
        .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(method.getService().getFullName() + "/" + method.getName())
        .setRequestMarshaller(
            ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
        .setResponseMarshaller(
            ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
        .build();
  }

  private static MethodDescriptor method(String service, String name) {
    for (FileDescriptor file : FILES) {
      for (ServiceDescriptor candidate : file.getServices()) {
        if (candidate.getFullName().equals(service)) {
          return candidate.findMethodByName(name);
        }
      }
    }
    throw new IllegalArgumentException("no service " + service);
  }
}
