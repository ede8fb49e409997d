package dev.sluice.boot.infer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorComparisonTest {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private static JsonNode outputs(String outputs) throws Exception {
    return JSON.readTree(outputs.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          [{'name':'y','datatype':'FP32','shape':[2],'data':[1.0,2.0]}] | [{'name':'z','datatype':'FP32','shape':[2],'data':[1.0,2.0]}] | output y is missing; output z is new
          [{'name':'y','datatype':'FP32','shape':[1],'data':[1.0]}]     | [{'name':'y','datatype':'FP64','shape':[1],'data':[1.0]}]     | output y has the datatype "FP64", recorded "FP32"
          [{'name':'y','datatype':'FP32','shape':[1],'data':[1.0]}]     | [{'name':'y','datatype':'FP32','shape':[1,1],'data':[1.0]}]   | output y has the shape [1,1], recorded [1]
          [{'name':'y','datatype':'FP32','shape':[3],'data':[1.0,2.0,3.0]}] | [{'name':'y','datatype':'FP32','shape':[3],'data':[1.1,2.0,4.0]}] | output y: 2 of 3 values differ, most at 2: 4.0, recorded 3.0
          [{'name':'y','datatype':'INT64','shape':[1],'data':[9007199254740993]}] | [{'name':'y','datatype':'INT64','shape':[1],'data':[9007199254740992]}] | output y: 1 of 1 values differ, most at 0: 9007199254740992, recorded 9007199254740993
          [{'name':'y','datatype':'BYTES','shape':[1],'data':['a']}]    | [{'name':'y','datatype':'BYTES','shape':[1],'data':['b']}]    | output y: 1 of 1 values differ, most at 0: "b", recorded "a"
          [{'name':'y','datatype':'FP32','shape':[1],'data':['NaN']}]   | [{'name':'y','datatype':'FP32','shape':[1],'data':[1.0]}]     | output y: 1 of 1 values differ, most at 0: 1.0, recorded "NaN"
          [{'name':'y','datatype':'FP32','shape':[1],'omitted':'size'}] | [{'name':'y','datatype':'FP32','shape':[2],'data':[1.0,2.0]}] | output y has the shape [2], recorded [1]
          """)
  void aDifferenceIsASentence(String recorded, String now, String differences) throws Exception {
    var compared = new TensorComparison(new Tolerance(1e-5, 1e-8), outputs(recorded), outputs(now));
    assertThat(String.join("; ", compared.differences())).isEqualTo(differences);
    assertThat(compared.isExact()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          [1.0, 2.0]      | [1.0, 2.0]        | true
          ['NaN', 1.0]    | [NaN, 1.0]        | true
          ['-Infinity']   | [-Infinity]       | true
          [1.0]           | [1.000005]        | false
          [0.0]           | [1e-9]            | false
          """)
  void numbersMayBeWithinTheTolerance(String recorded, String now, boolean exact) throws Exception {
    String head = "[{'name':'y','datatype':'FP32','shape':[1],'data':";
    var compared =
        new TensorComparison(
            new Tolerance(1e-5, 1e-8), outputs(head + recorded + "}]"), outputs(head + now + "}]"));
    assertThat(compared.differences()).isEmpty();
    assertThat(compared.isExact()).isEqualTo(exact);
  }
}
