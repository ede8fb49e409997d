package dev.sluice.security;

import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs a request to find out who sends it, and whether it may infer. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class AccessBenchmark {
  private static final String KEY = "0123456789abcdef";

  private final Vertx vertx = Vertx.vertx();

  private final ListenerAccess open =
      new ListenerAccess(ListenerConfig.DEFAULT, SecurityConfig.DEFAULT, List.of());

  private final ListenerAccess keyed =
      new ListenerAccess(
          ListenerConfig.DEFAULT,
          SecurityConfig.DEFAULT,
          List.of(
              new BearerAuthenticator(
                  Optional.of(
                      ApiKeys.of(
                          new ApiKeysConfig(
                              ApiKeysConfig.parse(Path.of("keys"), "ci: " + KEY), Optional.empty()),
                          new ReloadedFiles(vertx))),
                  Optional.empty())));

  private final Credentials nothing = _ -> null;
  private final Credentials key = name -> "x-api-key".contentEquals(name) ? KEY : null;

  /** A listener that knows no credentials. */
  @Benchmark
  public Caller anonymous() {
    return required(open.knowsCredentials() ? open.caller(nothing) : open.anonymous());
  }

  /** A caller without a key where keys are known. */
  @Benchmark
  public Caller anonymousAmongKeys() {
    return required(keyed.caller(nothing));
  }

  /** A caller with a key. */
  @Benchmark
  public Caller withKey() {
    return required(keyed.caller(key));
  }

  private static Caller required(Caller caller) {
    caller.require(Operation.INFER, "ranker");
    return caller;
  }

  @TearDown
  public void close() {
    vertx.close().await();
  }
}
