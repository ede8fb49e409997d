package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunFailureTest {
  private static final int FAIL = 1;
  private static final int INVALID_ARGUMENT = 2;
  private static final String NODE =
      "Non-zero status code returned while running Neg node. Name:'' Status Message: ";

  @ParameterizedTest
  @CsvSource({
    "OUTPUT_MEMORY, Got invalid dimensions for output: Y for the following indices",
    "OUTPUT_MEMORY, Invalid rank for output: Y Got: 1 Expected: 2",
    "REFUSED_INPUT, Got invalid dimensions for input: X for the following indices",
    "REFUSED_INPUT, Invalid rank for input: X Got: 1 Expected: 2",
  })
  void memoryOfAWrongShapeIsDistinguishedFromInputsOfOne(RunFailure.Kind kind, String text) {
    assertThat(RunFailure.of(INVALID_ARGUMENT, text).kind()).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "MEMORY, true, Failed to allocate memory for requested buffer of size 8000000000",
    "MEMORY, false, Failed to allocate memory for requested buffer of size 4398046511104",
    "MEMORY, true, Available memory of 5 is smaller than requested bytes of 64",
    "MEMORY, false, Integer overflow",
    "MEMORY, false, [ONNXRuntimeError] : 1 : FAIL : Calculation for Tensor storage size overflowed",
    "OPERATOR, false, indices element out of data bounds",
  })
  void aRunWithoutEnoughMemoryIsDistinguishedFromOthers(
      RunFailure.Kind kind, boolean mayWorkLater, String status) {
    RunFailure failure = RunFailure.of(FAIL, NODE + status);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.mayWorkLater(0)).isEqualTo(mayWorkLater);
  }

  @ParameterizedTest
  @CsvSource({"1, OPERATOR", "2, REFUSED_INPUT", "6, OPERATOR", "9, OTHER", "11, OTHER"})
  void onlyCodesOfChecksAreTheOperators(int code, RunFailure.Kind kind) {
    assertThat(RunFailure.of(code, NODE + "no").kind()).isEqualTo(kind);
  }
}
