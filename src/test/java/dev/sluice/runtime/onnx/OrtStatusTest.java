package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OrtStatusTest {
  @Test
  void placesInTheLibrarysSourceAreLeftOut() {
    String text =
        "Non-zero status code returned while running Add node. Name:'' Status Message:"
            + " /onnxruntime_src/onnxruntime/core/providers/cpu/math/element_wise_ops.h:560"
            + " void onnxruntime::BroadcastIterator::Append(ptrdiff_t, ptrdiff_t)"
            + " axis == 1 || axis == largest was false. Attempting to broadcast 3 by 4";
    assertThat(OrtStatus.clean(text))
        .isEqualTo(
            "Non-zero status code returned while running Add node. Name:'' Status Message:"
                + " axis == 1 || axis == largest was false. Attempting to broadcast 3 by 4");
  }

  @Test
  void templatesAndShortPlacesAreLeftOutToo() {
    assertThat(OrtStatus.clean("matmul_helper.h:59 Compute MatMul dimension mismatch"))
        .isEqualTo("Compute MatMul dimension mismatch");
    assertThat(
            OrtStatus.clean(
                "/onnxruntime_src/include/op_kernel_context.h:42 const T*"
                    + " onnxruntime::OpKernelContext::Input(int) const"
                    + " [with T = onnxruntime::Tensor] Missing Input: y"))
        .isEqualTo("Missing Input: y");
  }

  @Test
  void otherTextsStayAsTheyAre() {
    String text = "Got invalid dimensions for input: x (of 2/3)\n index: 0 Got: 2 Expected: 1";
    assertThat(OrtStatus.clean(text)).isEqualTo(text);
  }
}
