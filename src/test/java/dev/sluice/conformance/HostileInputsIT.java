package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HostileInputs;
import dev.sluice.testing.HttpCaller;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * A server under hostile connections of every protocol stays calm, and so does its log. More of
 * them with {@code -Dsluice.hostile.inputs=20000}, spread over a time with {@code
 * -Dsluice.hostile.seconds=60}.
 */
class HostileInputsIT {
  private static final int INPUTS = Integer.getInteger("sluice.hostile.inputs", 3_000);
  private static final long SECONDS = Integer.getInteger("sluice.hostile.seconds", 0);
  private static final int ATTACKERS = 4;

  /** Bytes of log that each input may cost on average: 20,000 of them stay below 1 MB. */
  private static final int BYTES_EACH = 50;

  private static final String REQUEST =
      "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[1,16],\"datatype\":\"INT32\",\"data\":"
          + "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]},{\"name\":\"INPUT1\",\"shape\":[1,16],"
          + "\"datatype\":\"INT32\",\"data\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}]}";

  @Test
  void theLogStaysCalmAndAWellBehavedClientIsAnswered() throws Exception {
    int port = ChildServer.freePort();
    try (var server =
        ChildServer.start(
            "serve", "--models", "src/test/models/oip", "--listen", "localhost:" + port)) {
      server.awaitModel("addsub/1");
      server.awaitModel("slow/1");
      int before = server.output().size();
      attack(port);
      server.terminate();
      assertThat(server.exitCode()).isZero();
      List<String> lines = server.output();
      lines = lines.subList(before, lines.size());
      assertThat(lines).noneMatch(line -> line.contains(" ERROR "));
      assertThat(lines).noneMatch(line -> line.contains(" | at ") || line.contains("\tat "));
      assertThat(lines.stream().mapToInt(line -> line.getBytes(UTF_8).length + 1).sum())
          .isLessThan(BYTES_EACH * INPUTS);
    }
  }

  private static void attack(int port) throws InterruptedException, ExecutionException {
    try (ExecutorService attackers = Executors.newVirtualThreadPerTaskExecutor();
        var victim = new HttpCaller(port)) {
      for (int i = 0; i < INPUTS / 3; i++) {
        ask(victim);
      }
      List<Long> alone = new ArrayList<>();
      for (int i = 0; i < INPUTS / 3; i++) {
        alone.add(ask(victim));
      }
      List<Future<?>> attacks = new ArrayList<>();
      for (int i = 0; i < ATTACKERS; i++) {
        var inputs = new HostileInputs(i, port, slowCall().toByteArray());
        attacks.add(
            attackers.submit(() -> {
              long begin = System.nanoTime();
              for (int n = 0; n < INPUTS / ATTACKERS; n++) {
                awaitTurn(begin, n);
                inputs.next();
              }
              assertThat(inputs.failures()).isEmpty();
            }));
      }
      List<Long> beside = new ArrayList<>();
      do {
        beside.add(ask(victim));
      } while (!attacks.stream().allMatch(Future::isDone));
      System.out.printf(
          "a victim's p99: %d us alone, %d us beside %d hostile inputs%n",
          p99(alone), p99(beside), INPUTS);
      for (Future<?> attack : attacks) {
        attack.get();
      }
    }
  }

  /** Each attacker's inputs are spread evenly over the time. */
  private static void awaitTurn(long begin, int input) {
    long due = begin + SECONDS * 1_000_000_000L / (INPUTS / ATTACKERS) * input;
    while (System.nanoTime() < due) {
      LockSupport.parkNanos(due - System.nanoTime());
    }
  }

  /** Microseconds that a good request takes. */
  private static long ask(HttpCaller victim) {
    long begin = System.nanoTime();
    var answer = victim.send("POST", "/v2/models/addsub/infer", Buffer.buffer(REQUEST));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return (System.nanoTime() - begin) / 1_000;
  }

  private static long p99(List<Long> micros) {
    return micros.stream().sorted().toList().get((int) (micros.size() * 0.99));
  }

  private static ModelInferRequest slowCall() {
    var input =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("INPUT0")
            .setDatatype("FP32")
            .addShape(1)
            .addShape(4)
            .setContents(
                InferTensorContents.newBuilder()
                    .addFp32Contents(1)
                    .addFp32Contents(2)
                    .addFp32Contents(3)
                    .addFp32Contents(4));
    return ModelInferRequest.newBuilder().setModelName("slow").addInputs(input).build();
  }
}
