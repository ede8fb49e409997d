package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decoders that are run in a loop by settings, against the same loops by hand. */
@Timeout(120)
class GeneratorIT {
  private static final Pattern TOKEN = Pattern.compile("\"token\":(\\d+)");
  private static final String GROWING = "decoder";
  private static final String SAVED = "saved";
  private static final String PLACED = "placed";

  @TempDir static Path models;
  private static long blocksBefore;
  private static RunningServer server;
  private static ModelSession bare;
  private static ModelSession saved;
  private static ModelSession placed;
  private static Vertx vertx;
  private static HttpClient client;
  private static HttpClient dawdler;

  @BeforeAll
  static void start() throws IOException {
    blocksBefore = TensorMemory.openBlocks();
    bare = StepModels.open(StepModels.decoder(models, GROWING, ""));
    saved = StepModels.open(StepModels.savedDecoder(models, SAVED));
    placed = StepModels.open(StepModels.placed(models, PLACED));
    server = RunningServer.start(models);
    vertx = Vertx.vertx();
    client =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAlive(false), new PoolOptions().setHttp1MaxSize(1_000));
    dawdler = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(1_000));
  }

  @AfterAll
  static void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    server.close();
    bare.close();
    saved.close();
    placed.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static long[] prompt(int number) {
    var prompt = new long[1 + number % 4];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = (number * 7L + i * 5L) % 32;
    }
    return prompt;
  }

  private static Buffer body(int number) {
    return Buffer.buffer("{\"ids\":" + Arrays.toString(prompt(number)) + "}");
  }

  private static Future<HttpClientRequest> request() {
    return request(client, GROWING);
  }

  private static Future<HttpClientRequest> request(HttpClient from, String model) {
    String path = "/v2/models/" + model + "/generate_stream";
    return from.request(HttpMethod.POST, server.port(), "localhost", path);
  }

  private static Future<List<Integer>> stream(int number) {
    return stream(GROWING, body(number));
  }

  /** Reads from the turn on in which the response begins: what comes before a reader is lost. */
  private static Future<List<Integer>> stream(String model, Buffer body) {
    return request(client, model)
        .compose(request -> request.send(body).compose(HttpClientResponse::body))
        .map(GeneratorIT::tokens);
  }

  private static List<Integer> tokens(Buffer events) {
    return TOKEN
        .matcher(events.toString())
        .results()
        .map((MatchResult match) -> Integer.valueOf(match.group(1)))
        .toList();
  }

  private static <T> T join(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(90, TimeUnit.SECONDS).join();
  }

  private static ModelSession bare(String model) {
    return model.equals(SAVED) ? saved : bare;
  }

  @ParameterizedTest
  @ValueSource(strings = {GROWING, SAVED})
  void aStreamSaysWhatTheLoopByHandSays(String model) {
    for (int number = 0; number < 8; number++) {
      assertThat(join(stream(model, body(number))))
          .isEqualTo(StepModels.loop(bare(model), prompt(number)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GROWING, SAVED})
  void streamsBesideEachOtherSayWhatEachSaysAlone(String model) {
    var streams = new ArrayList<Future<List<Integer>>>();
    for (int number = 0; number < 65; number++) {
      streams.add(stream(model, body(number)));
    }
    for (int number = 0; number < 65; number++) {
      assertThat(join(streams.get(number)))
          .as("stream %d", number)
          .isEqualTo(StepModels.loop(bare(model), prompt(number)));
    }
  }

  @Test
  void aStepGetsItsPositionAndItsMask() {
    for (int number = 0; number < 8; number++) {
      long[] prompt = prompt(number);
      long[] all = LongStream.generate(() -> 1).limit(prompt.length).toArray();
      assertThat(join(stream(PLACED, body(number))))
          .isEqualTo(StepModels.placedLoop(placed, prompt, 0, all));
    }
  }

  @Test
  void positionsAndMaskOfTheCallerAreContinued() {
    long[] prompt = {3, 1, 4};
    Buffer body = Buffer.buffer("{\"ids\":[3,1,4],\"at\":[2,3,4],\"mask\":[0,1,1,0,1]}");
    List<Integer> wanted = StepModels.placedLoop(placed, prompt, 2, 0, 1, 1, 0, 1);
    assertThat(wanted)
        .isNotEqualTo(StepModels.placedLoop(placed, prompt, 2, 1, 1, 1, 1, 1))
        .isNotEqualTo(StepModels.placedLoop(placed, prompt, 0, 0, 1, 1, 0, 1));
    assertThat(join(stream(PLACED, body))).isEqualTo(wanted);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 32})
  void aTokenThatTheModelDoesNotHaveIsRefusedBeforeTheRun(long token) {
    Buffer body = Buffer.buffer("{\"ids\":[3,%d]}".formatted(token));
    Buffer answer =
        join(
            request(client, GROWING)
                .compose(request -> request.send(body).compose(HttpClientResponse::body)));
    assertThat(answer.toString())
        .contains(
            "input \\\"ids\\\" has token %d in element 1; the model has tokens from 0 to 31"
                .formatted(token));
  }

  @Test
  void readersThatVanishOrDawdleLeakNothingAndSpoilNoOtherStream() throws Exception {
    var random = new Random(11);
    var survivors = new ArrayList<Future<List<Integer>>>();
    var numbers = new ArrayList<Integer>();
    var leavers = new ArrayList<Future<?>>();
    for (int number = 0; number < 500; number++) {
      switch (number % 6) {
        case 0, 1 -> add(survivors, numbers, stream(number), number);
        case 2 -> add(survivors, numbers, readSlowly(number), number);
        case 3 -> leavers.add(abortUpload(number));
        default -> leavers.add(leaveAfter(number, random.nextInt(StepModels.STEPS)));
      }
    }
    for (int i = 0; i < survivors.size(); i++) {
      assertThat(join(survivors.get(i)))
          .as("stream %d", numbers.get(i))
          .isEqualTo(StepModels.loop(bare, prompt(numbers.get(i))));
    }
    for (Future<?> leaver : leavers) {
      join(leaver.otherwiseEmpty());
    }
    while (TensorMemory.openBlocks() > blocksBefore) {
      Thread.onSpinWait();
    }
    // And the model still answers.
    assertThat(join(stream(1))).hasSize(StepModels.STEPS);
  }

  private static void add(
      List<Future<List<Integer>>> streams,
      List<Integer> numbers,
      Future<List<Integer>> stream,
      int number) {
    streams.add(stream);
    numbers.add(number);
  }

  /**
   * Does not read until some time has passed, then piece by piece. Its connection stays open: of
   * one that the server may close, the client tells the end before what was not yet read.
   */
  private static Future<List<Integer>> readSlowly(int number) {
    return request(dawdler, GROWING)
        .compose(request -> request.send(body(number)).compose(GeneratorIT::dawdle))
        .map(GeneratorIT::tokens);
  }

  private static Future<Buffer> dawdle(HttpClientResponse response) {
    response.pause();
    var all = Buffer.buffer();
    Promise<Buffer> whole = Promise.promise();
    response.handler(piece -> {
      all.appendBuffer(piece);
      vertx.setTimer(1, _ -> response.fetch(1));
    });
    response.endHandler(_ -> whole.complete(all));
    response.exceptionHandler(whole::tryFail);
    vertx.setTimer(50, _ -> response.fetch(1));
    return whole.future();
  }

  private static Future<?> leaveAfter(int number, int pieces) {
    return request()
        .compose(request ->
            request
                .send(body(number))
                .compose(response -> {
                  Promise<Void> gone = Promise.promise();
                  var left = new int[] {pieces};
                  response.handler(_ -> {
                    if (left[0]-- <= 0) {
                      request.connection().close().onComplete(_ -> gone.tryComplete());
                    }
                  });
                  response.exceptionHandler(_ -> gone.tryComplete());
                  response.endHandler(_ -> gone.tryComplete());
                  return gone.future();
                }));
  }

  private static Future<?> abortUpload(int number) {
    return request()
        .compose(request -> {
          request.putHeader("content-length", "100000");
          return request.write(body(number)).compose(_ -> request.connection().close());
        });
  }
}
