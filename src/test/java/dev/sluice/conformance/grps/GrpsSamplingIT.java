package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Entries of a map that are named like a generator's sampling parameters are these. */
class GrpsSamplingIT {
  private static final Pattern SAID = Pattern.compile("\"text\":\"((?:[^\"\\\\]|\\\\.)*)\"");

  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/sample/models"));
    http = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static String texts(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return SAID.matcher(answer.text())
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.joining());
  }

  private static String byV2(String parameters) {
    return texts(
        http.post(
            "/v2/models/writer/generate_stream",
            "{\"text\": \"My dear Mr. \", \"steps\": 40, " + parameters + "}"));
  }

  private static Answer byGrpsHttp(String maps) {
    return http.post(
        "/grps/v1/infer/predict?streaming=true",
        "{\"model\": \"writer\", \"gmap\": {\"s_s\": {\"text\": \"My dear Mr. \"}, " + maps + "}}");
  }

  private static String byGrpsGrpc(GenericMapData.Builder map) {
    var request =
        GrpsMessage.newBuilder()
            .setModel("writer")
            .setGmap(map.putSS("text", "My dear Mr. ").putSI32("steps", 40))
            .build();
    Iterable<GrpsMessage> messages =
        () -> GrpsServiceGrpc.newBlockingStub(channel).predictStreaming(request);
    return StreamSupport.stream(messages.spliterator(), false)
        .map(message -> {
          assertThat(message.getStatus().getCode()).as(message.toString()).isEqualTo(200);
          return message.getGmap().getSSOrThrow("text").replace("\n", "\\n").replace("\"", "\\\"");
        })
        .collect(Collectors.joining());
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 0, 1", "0, 1.3, 0, 1", "0.8, 1, 5, 1", "0.8, 1.1, 0, 0.9"})
  void sampledTextIsThatOfTheOtherProtocols(
      double temperature, double repetition, int topK, double topP) {
    String expected =
        byV2(
            "\"seed\": 7, \"temperature\": %s, \"repetition_penalty\": %s, \"top_k\": %d, \"top_p\": %s"
                .formatted(temperature, repetition, topK, topP));
    assertThat(expected).hasSizeGreaterThanOrEqualTo(40);
    assertThat(
            texts(
                byGrpsHttp(
                    "\"s_i32\": {\"steps\": 40, \"top_k\": %d}, \"s_i64\": {\"seed\": \"7\"}, \"s_d\": {\"temperature\": %s, \"repetition_penalty\": %s, \"top_p\": %s}"
                        .formatted(topK, temperature, repetition, topP))))
        .isEqualTo(expected);
    assertThat(
            byGrpsGrpc(
                GenericMapData.newBuilder()
                    .putSI32("top_k", topK)
                    .putSI64("seed", 7)
                    .putSD("temperature", temperature)
                    .putSD("repetition_penalty", repetition)
                    .putSD("top_p", topP)))
        .isEqualTo(expected);
  }

  @Test
  void penaltiesChangeWhatIsLikeliest() {
    String plain = byV2("\"temperature\": 0");
    Stream.of("repetition_penalty", "presence_penalty", "frequency_penalty")
        .forEach(penalty ->
            assertThat(byV2("\"temperature\": 0, \"" + penalty + "\": 1.9"))
                .as(penalty)
                .isNotEqualTo(plain));
  }

  /** A map has no booleans. */
  @Test
  void textsTrueAndFalseAreFlags() {
    for (String flag : List.of("true", "false", "1", "0")) {
      boolean number = flag.length() == 1;
      String said =
          number
              ? "\"s_i32\": {\"steps\": 4, \"chat\": 0, \"ignore_eos\": " + flag + "}"
              : "\"s_i32\": {\"steps\": 4}, \"s_d\": {\"temperature\": 0}";
      Answer answer =
          http.post(
              "/grps/v1/infer/predict?streaming=true",
              "{\"model\": \"writer\", \"gmap\": {\"s_s\": {\"text\": \"My dear Mr. \""
                  + (number ? "" : ", \"chat\": \"false\", \"ignore_eos\": \"" + flag + "\"")
                  + "}, "
                  + said
                  + "}}");
      assertThat(texts(answer)).as(flag).isNotEmpty();
    }
    assertThat(
            byGrpsGrpc(GenericMapData.newBuilder().putSS("ignore_eos", "true").putSI32("seed", 7)))
        .isNotEmpty();
    assertThat(
            http.post(
                    "/grps/v1/infer/predict?streaming=true",
                    "{\"model\": \"writer\", \"gmap\": {\"s_s\": {\"text\": \"a\","
                        + " \"ignore_eos\": \"yes\"}}}")
                .text())
        .contains("parameter \\\"ignore_eos\\\" is \\\"yes\\\"; wanted true or false");
  }

  @Test
  void parametersThatCannotBeAreRefusedWithTheirName() {
    assertThat(byGrpsHttp("\"s_d\": {\"temperature\": -1}").text())
        .contains("parameter \\\"temperature\\\" is -1.0; wanted a number from 0 to 1000");
    assertThat(byGrpsHttp("\"s_s\": {\"temperature\": \"hot\"}").text()).contains("temperature");
    assertThat(byGrpsHttp("\"s_i32\": {\"temprature\": 1}").text())
        .contains("model writer has no input temprature");
    assertThat(byGrpsHttp("\"s_i32\": {\"" + "t".repeat(5_000) + "\": 1}").text())
        .contains("model writer has no input tttt")
        .hasSizeLessThan(1_000);
  }
}
