package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model that takes long, and callers who do not wait for it. */
@Timeout(60)
class InterruptedRunsIT {
  private static final String TARGET = "/v2/models/slow/infer";

  @TempDir private Path models;
  private RunningServer server;
  private HttpCaller caller;

  @BeforeEach
  void open() throws IOException {
    Path version = Files.createDirectories(models.resolve("slow/1"));
    Files.copy(TestModels.slow().resolve("model.onnx"), version.resolve("model.onnx"));
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
  }

  @AfterEach
  void nothingIsLeftOpen() {
    caller.close();
    server.close();
  }

  private Answer ask(String parameters) {
    String body =
        """
        {%s"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]}\
        """
            .formatted(parameters);
    return caller.send("POST", TARGET, Buffer.buffer(body));
  }

  @Test
  void runThatOutlivesItsTimeoutIsStoppedAndTheModelRunsAgain() {
    for (int i = 0; i < 3; i++) {
      Answer late = late();
      assertThat(late.status()).isEqualTo(504);
      assertThat(late.text()).contains("Request timeout expired after ");
      assertThat(ask("").status()).isEqualTo(200);
    }
  }

  /** Asks until the time is over in a run: on a busy machine it may be so in the queue. */
  private Answer late() {
    Answer late = ask("\"parameters\":{\"timeout\":20000},");
    while (late.status() == 503) {
      late = ask("\"parameters\":{\"timeout\":20000},");
    }
    return late;
  }
}
