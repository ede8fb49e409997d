package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.codec.protobuf.ProtobufObjects;
import dev.sluice.protocol.oip.ModelDescription;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.Statistics;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryUnregisterRequest;
import dev.sluice.protocol.oip.grpc.proto.LogSettingsRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveResponse;
import dev.sluice.protocol.oip.grpc.proto.ServerMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerMetadataResponse;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyResponse;
import dev.sluice.protocol.oip.grpc.proto.ServiceProto;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryUnregisterRequest;
import dev.sluice.protocol.oip.grpc.proto.TraceSettingRequest;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.Exchange;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The Open Inference Protocol over gRPC. One instance may serve all event loops. The calls of the
 * service that are not here are answered with UNIMPLEMENTED by the transport.
 */
public final class OipGrpcHandler implements GrpcProtocolHandler {
  private final OipServer server;
  private final boolean kserve;
  private final Map<String, AuthorizedMethod<GrpcMethod>> methods = new HashMap<>();

  /**
   * @param kserve whether it answers as KServe does: there is no state of an unknown model, and a
   *     load or unload without a name fails in that server's words
   */
  public OipGrpcHandler(OipServer server, boolean kserve) {
    this.server = server;
    this.kserve = kserve;
    addHealth();
    addModels();
    addRepository(new RepositoryCalls(server, kserve));
    var settings = new SettingsCalls(server);
    add("LogSettings", Operation.LOGGING, method(LogSettingsRequest::parser, settings::logging));
    add("TraceSetting", Operation.TRACING, method(TraceSettingRequest::parser, settings::tracing));
    if (server.regions() != null) {
      addSharedMemory(new SharedMemoryCalls(server.regions()));
    }
  }

  private void add(String name, Operation operation, GrpcMethod method) {
    methods.put(name, AuthorizedMethod.unary(operation, method));
  }

  private void addHealth() {
    add("ServerLive", Operation.HEALTH, method(ServerLiveRequest::parser, _ -> live()));
    add("ServerReady", Operation.HEALTH, method(ServerReadyRequest::parser, _ -> ready()));
    add(
        "ServerMetadata",
        Operation.SERVER_METADATA,
        method(ServerMetadataRequest::parser, _ -> metadata()));
  }

  private void addModels() {
    add("ModelInfer", Operation.INFER, new InferMethod(server));
    add("ModelReady", Operation.MODEL_READY, method(ModelReadyRequest::parser, this::modelReady));
    add(
        "ModelMetadata",
        Operation.MODEL_METADATA,
        method(ModelMetadataRequest::parser, this::modelMetadata));
    add(
        "ModelConfig",
        Operation.MODEL_CONFIG,
        method(ModelConfigRequest::parser, this::modelConfig));
    add(
        "ModelStatistics",
        Operation.MODEL_STATISTICS,
        method(ModelStatisticsRequest::parser, this::statistics));
  }

  private void addRepository(RepositoryCalls repository) {
    add(
        "RepositoryIndex",
        Operation.REPOSITORY_INDEX,
        later(RepositoryIndexRequest::parser, repository::index));
    add(
        "RepositoryModelLoad",
        Operation.LOAD,
        later(RepositoryModelLoadRequest::parser, repository::load));
    add(
        "RepositoryModelUnload",
        Operation.UNLOAD,
        later(RepositoryModelUnloadRequest::parser, repository::unload));
  }

  private void addSharedMemory(SharedMemoryCalls memory) {
    share("SystemSharedMemoryStatus", SystemSharedMemoryStatusRequest::parser, memory::status);
    add(
        "SystemSharedMemoryRegister",
        Operation.SHARED_MEMORY,
        (call, message) -> register(memory, call, message));
    share(
        "SystemSharedMemoryUnregister",
        SystemSharedMemoryUnregisterRequest::parser,
        memory::unregister);
    share("CudaSharedMemoryStatus", CudaSharedMemoryStatusRequest::parser, memory::cudaStatus);
    share(
        "CudaSharedMemoryRegister", CudaSharedMemoryRegisterRequest::parser, memory::cudaRegister);
    share(
        "CudaSharedMemoryUnregister",
        CudaSharedMemoryUnregisterRequest::parser,
        memory::cudaUnregister);
  }

  private <T extends Message> void share(
      String name, Supplier<Parser<T>> parser, BiFunction<T, Exchange, MessageLite> answer) {
    add(name, Operation.SHARED_MEMORY, local(parser, answer));
  }

  /** Opening a file may take any time. */
  private Future<Buffer> register(SharedMemoryCalls memory, GrpcCall call, Body message) {
    SharedMemory shared = SharedMemory.of(memory.regions(), call);
    return call.compute(
        Long.MAX_VALUE,
        () -> {
          var request = parse(SystemSharedMemoryRegisterRequest::parser, message);
          return encode(memory.register(request, shared));
        });
  }

  @Override
  public String service() {
    return "inference.GRPCInferenceService";
  }

  @Override
  public ServiceDescriptor descriptor() {
    return ServiceProto.getDescriptor().findServiceByName("GRPCInferenceService");
  }

  @Override
  public Map<String, AuthorizedMethod<GrpcStreamMethod>> streams() {
    return Map.of(
        "ModelStreamInfer",
        AuthorizedMethod.stream(Operation.INFER, new StreamInferMethod(server)));
  }

  @Override
  public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
    return methods;
  }

  /**
   * Returns a method whose messages are small: made of generated messages.
   *
   * @param parser is asked for with the first call, which loads the message's classes
   */
  private static <T extends Message> GrpcMethod method(
      Supplier<Parser<T>> parser, Function<T, MessageLite> answer) {
    return method(parser, (request, _) -> answer.apply(request));
  }

  /** Returns the same for a method that depends on who calls. */
  private static <T extends Message> GrpcMethod method(
      Supplier<Parser<T>> parser, BiFunction<T, Caller, MessageLite> answer) {
    return local(parser, (request, call) -> answer.apply(request, call.caller()));
  }

  /** Returns the same for a method that depends on where the call comes from. */
  private static <T extends Message> GrpcMethod local(
      Supplier<Parser<T>> parser, BiFunction<T, Exchange, MessageLite> answer) {
    return (call, message) ->
        call.compute(message.work(), () -> parse(parser, message))
            .map(request -> encode(answer.apply(request, call)));
  }

  /** Returns the same for a method that answers later, and whose message may be large. */
  private static <T extends Message> GrpcMethod later(
      Supplier<Parser<T>> parser, BiFunction<T, Caller, Future<MessageLite>> answer) {
    return (call, message) ->
        call.compute(message.work(), () -> parse(parser, message))
            .compose(parsed -> answer.apply(parsed, call.caller()))
            .map(OipGrpcHandler::encode);
  }

  private static <T extends Message> T parse(Supplier<Parser<T>> parser, Body message) {
    try {
      return ProtobufObjects.read(parser.get(), message);
    } catch (InvalidProtocolBufferException e) {
      throw InferMessageTags.malformed(e);
    }
  }

  private static Buffer encode(MessageLite message) {
    return Buffers.wrap(message.toByteArray());
  }

  private MessageLite live() {
    return ServerLiveResponse.newBuilder().setLive(server.control().live()).build();
  }

  private MessageLite ready() {
    return ServerReadyResponse.newBuilder().setReady(server.control().ready()).build();
  }

  private MessageLite metadata() {
    return ServerMetadataResponse.newBuilder()
        .setName(server.identity().name())
        .setVersion(server.identity().version())
        .addAllExtensions(server.extensions())
        .build();
  }

  private MessageLite modelReady(ModelReadyRequest request, Caller caller) {
    ModelSelector selector = InferRequestReader.selector(request.getName(), request.getVersion());
    ModelLookup lookup = server.data().find(selector, caller, Operation.MODEL_READY);
    boolean miss =
        kserve ? lookup instanceof ModelLookup.NotReady : lookup instanceof ModelLookup.Missed;
    if (miss) {
      return ModelReadyResponse.newBuilder().setReady(false).build();
    }
    return ModelReadyResponse.newBuilder().setReady(OipModels.isReady(lookup)).build();
  }

  private MessageLite modelMetadata(ModelMetadataRequest request, Caller caller) {
    return MetadataMessages.metadata(
        ModelDescription.of(
            server, InferRequestReader.selector(request.getName(), request.getVersion()), caller));
  }

  private MessageLite modelConfig(ModelConfigRequest request, Caller caller) {
    return MetadataMessages.config(
        ModelDescription.configuration(
            server, InferRequestReader.selector(request.getName(), request.getVersion()), caller));
  }

  private MessageLite statistics(ModelStatisticsRequest request, Caller caller) {
    return StatisticsMessages.of(
        request.getName().isEmpty()
            ? Statistics.ofAll(server, caller)
            : Statistics.of(
                server,
                InferRequestReader.selector(request.getName(), request.getVersion()),
                caller));
  }
}
