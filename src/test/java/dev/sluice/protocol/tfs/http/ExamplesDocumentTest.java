package dev.sluice.protocol.tfs.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.tfs.grpc.proto.BytesList;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.Int64List;
import dev.sluice.tensor.BytesElements;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.Mutations;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExamplesDocumentTest {
  private static final int DAMAGED = 20_000;
  private static final long MOST_CONTEXT = 1_000;

  @Test
  void featuresAreWhatTheirFirstValuesAre() throws InvalidProtocolBufferException {
    Example example =
        read("""
        {"examples":[{"f":[1.5,1e2,NaN],"i":[-1,true,9223372036854775807],
          "s":["é",{"b64":"/w=="},"\\n"],"none":[],"one":2,"text":""}]}
        """)
            .getFirst();
    assertThat(example.getFeatures().getFeatureMap())
        .hasSize(6)
        .containsEntry(
            "f", feature(FloatList.newBuilder().addValue(1.5f).addValue(100).addValue(Float.NaN)))
        .containsEntry(
            "i",
            Feature.newBuilder()
                .setInt64List(
                    Int64List.newBuilder().addValue(-1).addValue(1).addValue(Long.MAX_VALUE))
                .build())
        .containsEntry("s", texts("é", "\uFFFF", "\n"))
        .containsEntry("none", Feature.getDefaultInstance())
        .containsEntry(
            "one", Feature.newBuilder().setInt64List(Int64List.newBuilder().addValue(2)).build())
        .containsEntry("text", texts(""));
  }

  @Test
  void aContextGoesBeforeEveryExample() throws InvalidProtocolBufferException {
    for (Example example : read("{\"context\":{\"a\":1,\"b\":1},\"examples\":[{\"b\":2},{}]}")) {
      assertThat(example.getFeatures().getFeatureMap()).containsKeys("a", "b");
    }
  }

  @Test
  void aContextIsNotRepeatedWithoutLimit() {
    String context = "\"context\":{\"text\":\"" + "x".repeat(200) + "\"}";
    String examples = "\"examples\":[{},{},{},{},{},{},{}]";
    for (String body : List.of(context + "," + examples, examples + "," + context)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> read("{" + body + "}"))
          .withMessage(
              "the context of 221 bytes is repeated in more than 4 examples, at most 1000 bytes"
                  + " may be");
    }
  }

  @Test
  void aDamagedBodyIsTheCallersMistakeOrAnotherRequest() throws InvalidProtocolBufferException {
    List<byte[]> good =
        ConformanceCase.of("tfs/examples").stream()
            .map(each -> each.data().path("body").asText().getBytes(StandardCharsets.UTF_8))
            .filter(body -> body.length > 0)
            .toList();
    var mutations = new Mutations(7);
    int taken = 0;
    for (int i = 0; i < DAMAGED; i++) {
      byte[] damaged = mutations.damage(good.get(i % good.size()));
      try {
        read(damaged);
        taken++;
      } catch (InferenceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      } catch (JsonException e) {
        assertThat(e.offset()).isBetween(0, damaged.length);
      }
    }
    assertThat(taken).isBetween(1, DAMAGED - 1);
  }

  private static List<Example> read(String json) throws InvalidProtocolBufferException {
    return read(json.getBytes(StandardCharsets.UTF_8));
  }

  /** Every example that is taken is one that protobuf's own reader takes too. */
  private static List<Example> read(byte[] json) throws InvalidProtocolBufferException {
    var read = ExamplesDocument.read(Body.of(json), MOST_CONTEXT);
    List<Example> examples = new ArrayList<>();
    try (var tensor = read.examples()) {
      var elements = new BytesElements(tensor);
      while (elements.next()) {
        examples.add(parsed(elements.toArray()));
      }
    }
    return examples;
  }

  private static Example parsed(byte[] bytes) throws InvalidProtocolBufferException {
    try {
      return Example.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      // Names are passed on as they come, right UTF-8 or not; the model will say so.
      assertThat(e).hasMessageContaining("UTF-8");
      return Example.getDefaultInstance();
    }
  }

  private static Feature feature(FloatList.Builder list) {
    return Feature.newBuilder().setFloatList(list).build();
  }

  private static Feature texts(String... values) {
    var list = BytesList.newBuilder();
    for (String value : values) {
      list.addValue(
          value.equals("\uFFFF")
              ? ByteString.copyFrom(new byte[] {(byte) 0xFF})
              : ByteString.copyFromUtf8(value));
    }
    return Feature.newBuilder().setBytesList(list).build();
  }
}
