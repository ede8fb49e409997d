package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.Code;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusResponse;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.ModelVersionStatus;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.testing.FakeControlPlane;
import dev.sluice.testing.LocalGrpcCall;
import dev.sluice.transport.Body;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TfsModelServiceHandlerTest {
  @Test
  void everyVersionIsReportedTheHighestFirst() throws InvalidProtocolBufferException {
    GetModelStatusResponse response = succeed(ModelSpec.newBuilder().setName("m").build());
    assertThat(response.getModelVersionStatusList())
        .extracting(ModelVersionStatus::getVersion)
        .containsExactly(3L, 2L, 1L);
    assertThat(response.getModelVersionStatusList())
        .extracting(ModelVersionStatus::getState)
        .containsExactly(
            ModelVersionStatus.State.LOADING,
            ModelVersionStatus.State.AVAILABLE,
            ModelVersionStatus.State.END);
    var failed = response.getModelVersionStatus(2).getStatus();
    assertThat(failed.getErrorCode()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(failed.getErrorMessage()).isEqualTo("broken");
    assertThat(response.getModelVersionStatus(1).getStatus().getErrorCode()).isEqualTo(Code.OK);
  }

  @Test
  void aNumberNarrowsTheAnswerAndALabelDoesNot() throws InvalidProtocolBufferException {
    ModelSpec one = ModelSpec.newBuilder().setName("m").setVersion(Int64Value.of(2)).build();
    assertThat(succeed(one).getModelVersionStatusCount()).isEqualTo(1);
    ModelSpec label = ModelSpec.newBuilder().setName("m").setVersionLabel("none").build();
    assertThat(succeed(label).getModelVersionStatusCount()).isEqualTo(3);
  }

  @Test
  void whatIsNotThereIsNotFound() {
    assertFails(
        spec(ModelSpec.newBuilder().setName("other").build()),
        ErrorCode.NOT_FOUND,
        "Could not find any versions of model other");
    assertFails(
        spec(ModelSpec.newBuilder().setName("m").setVersion(Int64Value.of(99)).build()),
        ErrorCode.NOT_FOUND,
        "Could not find version 99 of model m");
  }

  @Test
  void aSpecIsWanted() {
    assertFails(
        GetModelStatusRequest.getDefaultInstance(),
        ErrorCode.INVALID_ARGUMENT,
        "Missing ModelSpec");
  }

  @Test
  void whatIsNoMessageIsTheCallersFault() {
    Future<Buffer> answer = answer(Body.of(new byte[] {10, 9}));
    assertThat(ErrorCode.of(answer.cause())).isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  private static GetModelStatusRequest spec(ModelSpec spec) {
    return GetModelStatusRequest.newBuilder().setModelSpec(spec).build();
  }

  private static GetModelStatusResponse succeed(ModelSpec spec)
      throws InvalidProtocolBufferException {
    Future<Buffer> answer = answer(Body.of(spec(spec).toByteArray()));
    return GetModelStatusResponse.parseFrom(answer.result().getBytes());
  }

  private static void assertFails(GetModelStatusRequest request, ErrorCode code, String text) {
    Throwable failure = answer(Body.of(request.toByteArray())).cause();
    assertThat(failure).isInstanceOf(InferenceException.class).hasMessage(text);
    assertThat(ErrorCode.of(failure)).isEqualTo(code);
  }

  private static Future<Buffer> answer(Body message) {
    var method =
        new TfsModelServiceHandler(
                new ThreeVersions(),
                Telemetry.unseen(),
                new RequestLogs(
                    List.of(),
                    Telemetry.unseen().loads(),
                    InstantSource.system(),
                    Optional.empty()))
            .methods()
            .get("GetModelStatus");
    return Objects.requireNonNull(method).method().answer(new LocalGrpcCall(), message);
  }

  /** One model with a broken, an available and a loading version. */
  private static final class ThreeVersions implements FakeControlPlane {
    private static final List<VersionStatus> VERSIONS =
        List.of(
            new VersionStatus(
                1,
                VersionState.END,
                Optional.of(new VersionStatus.Failure(ErrorCode.INVALID_ARGUMENT, "broken"))),
            VersionStatus.of(2, VersionState.AVAILABLE),
            VersionStatus.of(3, VersionState.LOADING));

    @Override
    public List<String> models() {
      return List.of("m");
    }

    @Override
    public Optional<List<VersionStatus>> versions(String model) {
      return model.equals("m") ? Optional.of(VERSIONS) : Optional.empty();
    }

    @Override
    public Map<String, Long> labels(String model) {
      return Map.of();
    }
  }
}
