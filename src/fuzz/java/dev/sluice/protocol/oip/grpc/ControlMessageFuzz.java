package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.oip.FuzzedModels;
import dev.sluice.protocol.oip.FuzzedRegions;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.grpc.proto.LogSettingsRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.TraceSettingRequest;
import dev.sluice.testing.FakeControlPlane;
import dev.sluice.testing.OipServers;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Messages of V2 that control the server, by the digit in front: 0 index, 1 load, 2 unload, 3
 * settings of the log, 4 of traces, 5 a region of shared memory. Those of models in KServe's form
 * too.
 */
final class ControlMessageFuzz implements FuzzTarget {
  private final FuzzedRegions regions = new FuzzedRegions();
  private final FuzzedModels models = new FuzzedModels();

  /** Loads and unloads whatever it is asked for. */
  private static final class Loads implements FakeControlPlane {
    @Override
    public List<String> models() {
      return FuzzedModels.NAMES;
    }

    @Override
    public Optional<List<VersionStatus>> versions(String model) {
      return Optional.of(List.of(VersionStatus.of(1, VersionState.AVAILABLE)));
    }

    @Override
    public Map<String, Long> labels(String model) {
      return Map.of();
    }

    @Override
    public Future<Void> load(ModelLoad load, Caller caller) {
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> unload(String model, boolean dependents, Caller caller) {
      return Future.succeededFuture();
    }
  }

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(6);
    try {
      call(kind, bytes.rest());
    } catch (InvalidProtocolBufferException _) {
      // No message.
    }
    models.requireReleased();
  }

  private void call(int kind, byte[] message) throws InvalidProtocolBufferException {
    OipServer server = OipServers.of(models.planes(), new Loads(), () -> 0);
    var repository = new RepositoryCalls(server, true);
    var settings = new SettingsCalls(server);
    switch (kind) {
      case 0 -> {
        var index = RepositoryIndexRequest.parseFrom(message);
        require(() -> repository.index(index, Caller.SERVER));
      }
      case 1 -> {
        var load = RepositoryModelLoadRequest.parseFrom(message);
        require(() -> repository.load(load, Caller.SERVER));
      }
      case 2 -> {
        var unload = RepositoryModelUnloadRequest.parseFrom(message);
        require(() -> repository.unload(unload, Caller.SERVER));
      }
      case 3 -> {
        var logging = LogSettingsRequest.parseFrom(message);
        var _ = Rejection.request(() -> settings.logging(logging, Caller.SERVER));
      }
      case 4 -> {
        var tracing = TraceSettingRequest.parseFrom(message);
        var _ = Rejection.request(() -> settings.tracing(tracing, Caller.SERVER));
      }
      default -> register(SystemSharedMemoryRegisterRequest.parseFrom(message));
    }
  }

  private static void require(Supplier<Future<?>> call) {
    Future<?> answer = Rejection.request(call);
    if (answer != null && answer.failed()) {
      Rejection.requireCallers(answer.cause());
    }
  }

  private void register(SystemSharedMemoryRegisterRequest request) {
    var memory = new SharedMemory(regions.regions(), Caller.SERVER, true);
    var _ =
        Rejection.request(() -> {
          new SharedMemoryCalls(regions.regions()).register(request, memory);
          return regions.requirePart(request.getName());
        });
    regions.clear();
  }
}
