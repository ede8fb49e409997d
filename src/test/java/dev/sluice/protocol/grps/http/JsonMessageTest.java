package dev.sluice.protocol.grps.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.Tensors;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonMessageTest {
  private static final DeclaredModel FLOATS =
      DeclaredModel.of(new TensorSpec("x", DataType.FP32, Shape.UNKNOWN));
  private static final DeclaredModel TEXT =
      DeclaredModel.of(new TensorSpec("t", DataType.BYTES, Shape.of(-1, 1)));
  private static final DeclaredModel TWO =
      DeclaredModel.of(
          new TensorSpec("x", DataType.FP32, Shape.of(-1)),
          new TensorSpec("n", DataType.INT64, Shape.of(-1)));

  private static void decode(DeclaredModel model, String json, Consumer<List<NamedTensor>> check) {
    decode(model, json.getBytes(StandardCharsets.UTF_8), check);
  }

  private static void decode(DeclaredModel model, byte[] json, Consumer<List<NamedTensor>> check) {
    JsonMessage message = JsonMessage.scan(Body.of(json), "");
    try (var inputs = new RequestInputs(model)) {
      message.decode(inputs);
      List<NamedTensor> tensors = inputs.take();
      try {
        check.accept(tensors);
      } finally {
        NamedTensor.closeAll(tensors);
      }
    }
  }

  @Test
  void theModelMayStandBehindTheData() {
    JsonMessage message =
        JsonMessage.scan(
            Body.of("{\"ndarray\":[1],\"model\":\"m-1\"}".getBytes(StandardCharsets.UTF_8)), "");
    assertThat(message.model()).isEqualTo("m-1");
    assertThat(message.form()).isEqualTo(DataForm.NDARRAY);
  }

  @Test
  void aNumberAloneIsAnNdArrayWithoutDimensions() {
    decode(
        FLOATS,
        "{\"ndarray\":1.5}",
        tensors -> {
          assertThat(tensors.getFirst().tensor().shape()).isEqualTo(Shape.SCALAR);
          assertThat(Tensors.toFloats(tensors.getFirst().tensor())).containsExactly(1.5f);
        });
  }

  @ParameterizedTest
  @CsvSource({
    "FLOAT32, flat_float32, flat_int32",
    "FLOAT64, flat_double, flat_float64",
    "FLOAT64, flatFloat64, flat_float64",
    "INT32, flat_float32, flat_int32"
  })
  void severalListsOfValuesAreRefused(String type, String first, String second) {
    String json =
        "{\"gtensors\":{\"tensors\":[{\"dtype\":\"DT_%s\",\"shape\":[1],\"%s\":[1],\"%s\":[2]}]}}"
            .formatted(type, first, second);
    assertThatThrownBy(() -> decode(FLOATS, json, _ -> {}))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "gtensors.tensors[0] has values in %s and in %s; wanted one list"
                .formatted(first, second));
  }

  @Test
  void listsWithoutValuesCountAsLeftOut() {
    decode(
        FLOATS,
        "{\"gtensors\":{\"tensors\":[{\"dtype\":\"DT_FLOAT32\",\"shape\":[1],\"flat_int32\":[],"
            + "\"flat_float32\":[2],\"flat_string\":[ ]}]}}",
        tensors -> assertThat(Tensors.toFloats(tensors.getFirst().tensor())).containsExactly(2.0f));
  }

  @Test
  void textFillsTheOpenDimensionsWithOne() {
    decode(
        TEXT,
        "{\"str_data\":\"\\u00e4\"}",
        tensors -> {
          assertThat(tensors.getFirst().tensor().shape()).isEqualTo(Shape.of(1, 1));
          assertThat(Tensors.toBytes(tensors.getFirst().tensor()).getFirst())
              .isEqualTo("ä".getBytes(StandardCharsets.UTF_8));
        });
  }

  @Test
  void flatDoubleIsAnotherNameOfFlatFloat64() {
    var model = DeclaredModel.of(new TensorSpec("d", DataType.FP64, Shape.of(-1)));
    decode(
        model,
        "{\"gtensors\":{\"tensors\":[{\"dtype\":\"DT_FLOAT64\",\"shape\":[2],\"flat_double\":[1,2]}]}}",
        tensors -> assertThat(tensors.getFirst().tensor().elementCount()).isEqualTo(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"gmap":{"s_f":{"x":1},"s_i32":{"n":2},"s_d":{"x":1}}} | given twice
          {"gmap":{"s_f":{"x":null},"s_i32":{"n":2}}}            | name: x
          {"gmap":{"s_i32":{"n":2147483648}}}                    | gmap.s_i32.n: got 2147483648
          {"gmap":{"s_f":{"n":2}}}                               | gmap.s_f.n: got a floating
          {"gmap":{"s_s":[]}}                                    | gmap.s_s: got []
          {"gtensors":{"tensors":[{"shape":[1]}]}}               | has no dtype
          {"gtensors":{"tensors":[null]}}                        | gtensors.tensors[0]: got null
          {"gtensors":{}}                                        | name: x
          {"gtensors":{"tensors":[{"dtype":10}]}}                | dtype: got 10
          {"ndarray":[1]}                                        | takes 2
          {"str_data":"a","bin_data":"AA=="}                     | got both
          {"model":7,"str_data":"a"}                             | model: got 7
          """)
  void whatIsWrongIsSaidWithItsPlace(String json, String text) {
    assertThatThrownBy(() -> decode(TWO, json, _ -> {}))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(text)
        .extracting(e -> ErrorCode.of((Throwable) e))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"str_data":"caf\u00e9"}                                            | str_data: got
          {"gmap":{"s_s":{"t":"caf\u00e9"}}}                                  | gmap.s_s.t: got
          {"gtensors":{"tensors":[{"dtype":9,"shape":[1],"flat_string":["\u00e9"]}]}} | flat_string[0]
          """)
  void textThatIsNotUtf8IsRefusedWithItsPlace(String json, String place) {
    assertThatThrownBy(() -> decode(TEXT, json.getBytes(StandardCharsets.ISO_8859_1), _ -> {}))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(place)
        .extracting(e -> ErrorCode.of((Throwable) e))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void damagedTextIsRefusedOrReadButNeverLeaksOrThrowsAnythingElse() {
    List<String> sound =
        List.of(
            "{\"gtensors\":{\"tensors\":[{\"name\":\"x\",\"dtype\":\"DT_FLOAT32\",\"shape\":[2],"
                + "\"flat_float32\":[1.5,\"NaN\"]},{\"name\":\"n\",\"dtype\":5,\"shape\":[\"1\"],"
                + "\"flatInt64\":[\"-7\"]}]},\"model\":\"m\"}",
            "{\"gmap\":{\"s_f\":{\"x\":0.25},\"s_i64\":{\"n\":\"12\"},\"s_b\":{\"y\":\"AAE=\"}}}",
            "{\"ndarray\":[[1,2,3],[4,5e-3,6]],\"zzz\":{\"a\":[null,true]}}",
            "{\"str_data\":\"caf\\u00e9 \\ud83d\\ude00\",\"model\":\"language-1\"}");
    List<DeclaredModel> models = List.of(TWO, TWO, FLOATS, TEXT);
    var mutations = new Mutations(2);
    for (int i = 0; i < 4000; i++) {
      byte[] json = mutations.damage(sound.get(i % 4).getBytes(StandardCharsets.UTF_8));
      try {
        decode(models.get(i % 4), json, _ -> {});
      } catch (InferenceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      }
    }
  }
}
