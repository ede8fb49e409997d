package dev.sluice.protocol.tfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExampleTasksBuilderTest {
  private static final String CLASSIFY = "tensorflow/serving/classify";
  private static final String REGRESS = "tensorflow/serving/regress";

  @Test
  void severalTasksAreOneRunThatComputesEachTensorOnce() {
    var inquiries =
        new ExampleTasksBuilder(
            model(
                signature("a", "scores", "add:0"),
                signature("b", "outputs", "add:0"),
                signature("c", "outputs", "mul:0")));
    inquiries.add("a", CLASSIFY);
    inquiries.add("b", REGRESS);
    inquiries.add("c", REGRESS);
    ExampleTasks inquiry = inquiries.toInquiry();
    assertThat(inquiry.signature().inputs()).hasSize(1);
    assertThat(inquiry.signature().outputs())
        .extracting(TensorSpec::name)
        .containsExactly("add:0", "mul:0");
    assertThat(inquiry.parts())
        .extracting(part -> part.head().outputs())
        .containsExactly(List.of("add:0"), List.of("add:0"), List.of("mul:0"));
  }

  @Test
  void oneTaskRunsItsOwnSignature() {
    Signature only = signature("a", "scores", "add:0");
    var inquiries = new ExampleTasksBuilder(model(only));
    inquiries.add("a", CLASSIFY);
    assertThat(inquiries.toInquiry().signature()).isSameAs(only);
  }

  private static ModelMetadata model(Signature... signatures) {
    Map<String, Signature> named = new LinkedHashMap<>();
    for (Signature signature : signatures) {
      named.put(signature.name(), signature);
    }
    return new ModelMetadata(Head.SAVED_MODEL, named, false, 0);
  }

  private static Signature signature(String name, String output, String tensor) {
    var examples =
        new TensorSpec("inputs", DataType.BYTES, Shape.of(-1), false, "examples:0", "DT_STRING");
    var answer = new TensorSpec(output, DataType.FP32, Shape.of(-1, 1), false, tensor, "DT_FLOAT");
    return new Signature(name, "", List.of(examples), List.of(answer));
  }
}
