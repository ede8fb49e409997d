package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of random lengths that come and go, against the same loops by hand. */
@Timeout(120)
class StreamLengthsIT {
  private static final Pattern TOKEN = Pattern.compile("\"token\":(\\d+)");
  private static final int STEPS = 40;
  private static final int LONGEST = 100;
  private static final String GIVEN = "given";
  private static final String HALF = "half";
  private static final String OF_MASK = "of_mask";
  private static final String OF_LENGTH = "of_length";
  private static final String MERGED = "merged";
  private static final String MERGED_HALF = "merged_half";

  @TempDir static Path models;
  private static final Map<String, ModelSession> bare = new HashMap<>();
  private static long blocksBefore;
  private static RunningServer server;
  private static Vertx vertx;
  private static HttpClient client;

  @BeforeAll
  static void start() throws IOException {
    blocksBefore = TensorMemory.openBlocks();
    write(GIVEN, new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT));
    write(HALF, new MaskedDecoder(Positions.GIVEN, MaskedDecoder.FLOAT16));
    write(OF_MASK, new MaskedDecoder(Positions.OF_MASK, OnnxModelWriter.FLOAT));
    write(OF_LENGTH, new MaskedDecoder(Positions.OF_LENGTH, OnnxModelWriter.FLOAT));
    writeMerged(MERGED, GIVEN, OnnxModelWriter.FLOAT);
    writeMerged(MERGED_HALF, HALF, MaskedDecoder.FLOAT16);
    server = RunningServer.start(models);
    vertx = Vertx.vertx();
    client =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAlive(false), new PoolOptions().setHttp1MaxSize(1_000));
  }

  private static void write(String name, MaskedDecoder decoder) throws IOException {
    bare.put(name, MaskedDecoder.open(decoder.writeTo(models, name, STEPS, "")));
  }

  /** A loop by hand runs the same decoder without branches. */
  private static void writeMerged(String name, String plain, int cache) throws IOException {
    new MaskedDecoder(Positions.GIVEN, cache, true).writeTo(models, name, STEPS, "");
    bare.put(name, MaskedDecoder.open(models.resolve(plain)));
  }

  @AfterAll
  static void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    server.close();
    bare.values().forEach(ModelSession::close);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static Future<HttpClientResponse> open(String model, long... prompt) {
    String path = "/v2/models/" + model + "/generate_stream";
    return client
        .request(HttpMethod.POST, server.port(), "localhost", path)
        .compose(request ->
            request
                .send(Buffer.buffer("{\"input_ids\":" + Arrays.toString(prompt) + "}"))
                .map(HttpClientResponse::pause));
  }

  private static Future<List<Integer>> stream(String model, long... prompt) {
    return open(model, prompt)
        .compose(response -> {
          Future<Buffer> body = response.body();
          response.resume();
          return body;
        })
        .map(events ->
            TOKEN
                .matcher(events.toString())
                .results()
                .map((MatchResult match) -> Integer.valueOf(match.group(1)))
                .toList());
  }

  /** Leaves after some pieces of the answer. */
  private static Future<Void> leave(String model, int pieces, long... prompt) {
    Promise<Void> left = Promise.promise();
    open(model, prompt)
        .onFailure(left::fail)
        .onSuccess(response -> {
          var read = new int[1];
          HttpClientRequest request = response.request();
          response.exceptionHandler(_ -> left.tryComplete());
          response.endHandler(_ -> left.tryComplete());
          response.handler(_ -> {
            if (++read[0] >= pieces) {
              request.connection().close();
              left.tryComplete();
            }
          });
          response.resume();
        });
    return left.future();
  }

  private static long[] prompt(Random random) {
    return random.longs(1 + random.nextInt(LONGEST), 0, 32).toArray();
  }

  private static <T> T join(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(90, TimeUnit.SECONDS).join();
  }

  @ParameterizedTest
  @ValueSource(strings = {GIVEN, HALF, OF_MASK, OF_LENGTH, MERGED, MERGED_HALF})
  void streamsOfRandomLengthsThatComeAndGoSayWhatEachSaysAlone(String model) {
    var random = new Random(model.hashCode());
    var prompts = new ArrayList<long[]>();
    var streams = new ArrayList<Future<List<Integer>>>();
    var leavers = new ArrayList<Future<Void>>();
    for (int i = 0; i < 64; i++) {
      prompts.add(prompt(random));
      streams.add(stream(model, prompts.getLast()));
      if (i % 3 == 0) {
        leavers.add(leave(model, 1 + random.nextInt(STEPS / 2), prompt(random)));
      }
    }
    for (int i = 0; i < streams.size(); i++) {
      assertThat(join(streams.get(i)))
          .as("stream %d", i)
          .isEqualTo(
              MaskedDecoder.tokens(
                  MaskedDecoder.loop(
                      Objects.requireNonNull(bare.get(model)), STEPS, prompts.get(i))));
    }
    leavers.forEach(StreamLengthsIT::join);
  }
}
