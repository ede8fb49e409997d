package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeakCheckTest {
  @Test
  void aTensorThatStaysOpenFailsWithThePlaceOfItsAllocation() {
    Set<Throwable> before = Set.copyOf(TensorMemory.openPlaces());
    Tensor leaked = Tensor.allocate(DataType.FP32, Shape.of(4));
    Throwable failure = catchThrowable(() -> LeakCheck.requireClosed(before, Duration.ZERO));
    leaked.close();
    assertThat(failure).isInstanceOf(AssertionError.class).hasMessage("1 tensors were not closed");
    assertThat(failure.getSuppressed()[0].getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(LeakCheckTest.class.getName()));
    LeakCheck.requireClosed(before, Duration.ZERO);
  }
}
