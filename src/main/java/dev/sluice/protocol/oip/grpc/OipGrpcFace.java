package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sluice.inference.Lookup;
import dev.sluice.protocol.oip.ModelDescription;
import dev.sluice.protocol.oip.Models;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.protocol.oip.Statistics;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveResponse;
import dev.sluice.protocol.oip.grpc.proto.ServerMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerMetadataResponse;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyResponse;
import dev.sluice.protocol.oip.grpc.proto.ServiceProto;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.grpc.GrpcFace;
import dev.sluice.transport.grpc.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.function.Function;

/**
 * The Open Inference Protocol over gRPC. One instance may serve all event loops. The calls of the
 * service that are not here are answered with UNIMPLEMENTED by the transport.
 */
public final class OipGrpcFace implements GrpcFace {
  private final OipServer server;
  private final Map<String, GrpcMethod> methods;

  public OipGrpcFace(OipServer server) {
    this.server = server;
    this.methods =
        Map.of(
            "ServerLive", method(ServerLiveRequest.parser(), _ -> live()),
            "ServerReady", method(ServerReadyRequest.parser(), _ -> ready()),
            "ModelReady", method(ModelReadyRequest.parser(), this::modelReady),
            "ServerMetadata", method(ServerMetadataRequest.parser(), _ -> metadata()),
            "ModelMetadata", method(ModelMetadataRequest.parser(), this::modelMetadata),
            "ModelInfer", new InferMethod(server),
            "ModelConfig", method(ModelConfigRequest.parser(), this::modelConfig),
            "ModelStatistics", method(ModelStatisticsRequest.parser(), this::statistics),
            "RepositoryIndex", method(RepositoryIndexRequest.parser(), this::index));
  }

  @Override
  public ServiceDescriptor descriptor() {
    return ServiceProto.getDescriptor().findServiceByName("GRPCInferenceService");
  }

  @Override
  public Map<String, GrpcMethod> methods() {
    return methods;
  }

  /** A method whose messages are small: made of generated messages. */
  private static <T> GrpcMethod method(Parser<T> parser, Function<T, MessageLite> answer) {
    return (_, message) -> Future.succeededFuture(encode(answer.apply(parse(parser, message))));
  }

  private static <T> T parse(Parser<T> parser, Body message) {
    try {
      return parser.parseFrom(message.bytes(), message.offset(), message.length());
    } catch (InvalidProtocolBufferException e) {
      throw Wire.malformed(e);
    }
  }

  private static Buffer encode(MessageLite message) {
    byte[] bytes = message.toByteArray();
    return Buffers.wrap(bytes, 0, bytes.length);
  }

  private MessageLite live() {
    return ServerLiveResponse.newBuilder().setLive(server.control().live()).build();
  }

  private MessageLite ready() {
    return ServerReadyResponse.newBuilder().setReady(server.control().ready()).build();
  }

  private MessageLite metadata() {
    return ServerMetadataResponse.newBuilder()
        .setName(OipServer.NAME)
        .setVersion(server.version())
        .addAllExtensions(OipServer.EXTENSIONS)
        .build();
  }

  private MessageLite modelReady(ModelReadyRequest request) {
    Lookup lookup = server.data().find(GrpcSelectors.of(request.getName(), request.getVersion()));
    if (lookup instanceof Lookup.NotReady) {
      return ModelReadyResponse.newBuilder().setReady(false).build();
    }
    Models.found(lookup).release();
    return ModelReadyResponse.newBuilder().setReady(true).build();
  }

  private MessageLite modelMetadata(ModelMetadataRequest request) {
    return Descriptions.metadata(describe(request.getName(), request.getVersion()));
  }

  private MessageLite modelConfig(ModelConfigRequest request) {
    return Descriptions.config(describe(request.getName(), request.getVersion()));
  }

  private MessageLite statistics(ModelStatisticsRequest request) {
    return StatisticsMessages.of(
        request.getName().isEmpty()
            ? Statistics.ofAll(server)
            : Statistics.of(server, GrpcSelectors.of(request.getName(), request.getVersion())));
  }

  private ModelDescription describe(String name, String version) {
    return ModelDescription.of(server, GrpcSelectors.of(name, version));
  }

  private MessageLite index(RepositoryIndexRequest request) {
    return Descriptions.index(RepositoryIndex.of(server.control(), request.getReady()));
  }
}
