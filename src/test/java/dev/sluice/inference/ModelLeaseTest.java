package dev.sluice.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ModelLeaseTest {
  private final DeclaredModel model =
      DeclaredModel.of(new TensorSpec("x", DataType.FP32, Shape.of(1)));

  @Test
  void readingReleasesTheLease() {
    String name = model.read(lease -> lease.id().name());
    assertThat(name).isEqualTo("declared");
    assertThat(model.releases()).isEqualTo(1);
  }

  @Test
  void readingThatFailsReleasesTheLease() {
    assertThatThrownBy(() -> model.read(ModelLeaseTest::refuse)).hasMessage("refused");
    assertThat(model.releases()).isEqualTo(1);
  }

  @Test
  void leaseThatIsHandedOverIsReleasedByTheRequest() {
    InferenceRequest request = model.handOver(ModelLeaseTest::request);
    assertThat(model.releases()).isZero();
    request.close();
    assertThat(model.releases()).isEqualTo(1);
  }

  @Test
  void whatAStepHandsOverLeavesTheLeaseToItsRequest() {
    InferenceRequest request = model.handOver(ModelLeaseTest::request);
    InferenceRequest step = request.step(request.signature(), List.of(), List.of());
    InferenceRequest next = step.handOver(request.signature(), List.of(), List.of());
    next.close();
    step.close();
    assertThat(model.releases()).isZero();
    request.close();
    assertThat(model.releases()).isEqualTo(1);
  }

  @Test
  void whoEndsARequestReachesWhatItsStepHasHandedOver() {
    InferenceRequest request = model.handOver(ModelLeaseTest::request);
    InferenceRequest step = request.step(request.signature(), List.of(), List.of());
    InferenceRequest next = step.handOver(request.signature(), List.of(), List.of());
    var ends = new AtomicInteger();
    next.onAbandoned(ends::incrementAndGet);
    request.expire();
    assertThat(next.isCancelled()).isFalse();
    request.cancel();
    assertThat(next.isCancelled()).isTrue();
    assertThat(ends).hasValue(2);
    request.close();
  }

  @Test
  void handingOverThatFailsReleasesTheLease() {
    assertThatThrownBy(() -> model.handOver(ModelLeaseTest::refuse)).hasMessage("refused");
    assertThat(model.releases()).isEqualTo(1);
  }

  private static String refuse(ModelLease lease) {
    throw InferenceException.invalid("refused");
  }

  private static InferenceRequest request(ModelLease lease) {
    return new InferenceRequest(
        lease,
        lease.metadata().signature("").orElseThrow(),
        List.of(),
        List.of(),
        Deadline.NONE,
        "test");
  }
}
