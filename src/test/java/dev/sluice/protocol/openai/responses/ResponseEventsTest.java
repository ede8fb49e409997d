package dev.sluice.protocol.openai.responses;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.openai.generation.CallParameters;
import dev.sluice.protocol.openai.generation.CallerNames;
import dev.sluice.protocol.openai.tools.Tools;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.Tensors;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResponseEventsTest {
  private static final CallParameters SAID =
      new CallParameters(0, Map.of(), new CallerNames(Map.of()));

  private final ResponseAnswer answer = new ResponseAnswer("1", Optional.empty());
  private final ResponseEvents events =
      new ResponseEvents(
          new ResponseWriter(
              "1",
              new ResponseRequest("m", "", true, SAID, Tools.NONE, new ResponseSettings()),
              answer,
              InstantSource.fixed(Instant.ofEpochSecond(5))),
          answer);

  private String said(String text) {
    var output = new NamedTensor("text", Tensors.texts(Shape.of(1), text));
    try (var response =
        new InferenceResponse(
            new ModelId("m", 1), new Signature("", "", List.of(), List.of()), List.of(output))) {
      return events.next(response).toString();
    }
  }

  @Test
  void aFailureIsAnEventAndThenAResponseThatHasFailed() {
    assertThat(said("Hi \"é\"\n"))
        .endsWith(
            """
            event: response.output_text.delta
            data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1_0",\
            "output_index":0,"content_index":0,"delta":"Hi \\"é\\"\\n","logprobs":[]}

            """);
    String failed =
        events.failed(new InferenceException(ErrorCode.UNAVAILABLE, "no memory")).toString();
    assertThat(failed)
        .startsWith(
            """
            event: error
            data: {"type":"error","sequence_number":5,"error":{"message":"no memory",\
            "type":"server_error","param":null,"code":null}}

            event: response.failed
            data: {"type":"response.failed","sequence_number":6,"response":{"id":"resp_1",\
            "object":"response","created_at":5,"completed_at":null,"status":"failed",\
            "error":{"code":"server_error","message":"no memory"},"incomplete_details":null,\
            "model":"m","output":[],"usage":null,\
            """)
        .endsWith("}}\n\n");
  }
}
