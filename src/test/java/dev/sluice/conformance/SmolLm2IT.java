package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SmolLm2;
import dev.sluice.testing.SmolLm2.Conversation;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A real language model as it is published, without settings: its answers are those of a loop over
 * ONNX Runtime. Left out where it cannot be had from PyPI.
 */
@Timeout(600)
class SmolLm2IT {
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws Exception {
    server = RunningServer.start(SmolLm2.models());
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      http.close();
      server.close();
    }
  }

  static Stream<String> names() {
    return SmolLm2.NAMES.stream();
  }

  private static ObjectNode request(String model, Conversation conversation) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    return request.put("model", model).set("messages", conversation.messages());
  }

  private static JsonNode post(String path, ObjectNode request) {
    Answer answer = http.send("POST", path, Buffer.buffer(request.toString()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return Json.read(answer.text());
  }

  /** Returns the answer, without a last character of which tokens are missing. */
  private static String answer(String model, Conversation conversation) {
    ObjectNode request = request(model, conversation).put("max_tokens", SmolLm2.STEPS);
    JsonNode answer = post("/v1/chat/completions", request);
    assertThat(answer.at("/usage/prompt_tokens").intValue())
        .isEqualTo(conversation.prompt().size());
    return whole(answer.at("/choices/0/message/content").textValue());
  }

  private static String whole(String text) {
    return text.endsWith("\ufffd") ? text.substring(0, text.length() - 1) : text;
  }

  @ParameterizedTest
  @MethodSource("names")
  void tokensOfConversationsAreThoseOfTheTokenizersPackage(String model) throws Exception {
    for (Conversation conversation : SmolLm2.conversations()) {
      assertThat(post("/tokenize", request(model, conversation)).get("tokens").valueStream())
          .extracting(JsonNode::intValue)
          .isEqualTo(conversation.prompt());
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void answersOneAfterTheOtherAreThoseOfALoop(String model) throws Exception {
    for (Conversation conversation : SmolLm2.conversations()) {
      assertThat(answer(model, conversation)).isEqualTo(whole(conversation.answer()));
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void answersToAllAtOnceAreThoseOfALoop(String model) throws Exception {
    List<Conversation> conversations = SmolLm2.conversations();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers =
          conversations.stream()
              .map(conversation -> callers.submit(() -> answer(model, conversation)))
              .toList();
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo(whole(conversations.get(i).answer()));
      }
    }
  }
}
