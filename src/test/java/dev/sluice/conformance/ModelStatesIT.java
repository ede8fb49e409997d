package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StateCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks for models that are loading, unloading or without a version, by every call of every
 * protocol. The answers are in {@code conformance/states/*.txt}: within a protocol they agree.
 */
@Timeout(120)
class ModelStatesIT {
  private static final Path EXPECTED = Path.of("src/test/resources/conformance/states");
  private static final String LOAD = "sluice.test.gate.load";
  private static final String RUN = "sluice.test.gate.run";

  private final Semaphore loads = new Semaphore(0);
  private final Semaphore runs = new Semaphore(0);

  @TempDir private Path models;

  @AfterEach
  void removeGates() {
    System.getProperties().remove(LOAD);
    System.getProperties().remove(RUN);
  }

  private RunningServer start() {
    ListenerConfig usual = RunningServer.LISTENER;
    SluiceConfig config =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(new SettingOverride("listeners", "localhost:0", "test")))
            .with(
                List.of(usual, RunningServer.listener(Set.of(Protocol.KSERVE))),
                RunningServer.trusting(models, Duration.ofMillis(20)));
    return RunningServer.start(config);
  }

  private static StateCalls calls(RunningServer server) {
    return new StateCalls(server.ports().get(0), server.ports().get(1));
  }

  private void gate(String version) throws IOException {
    // Moved to its place as a whole, as a deployment tool should.
    Path made = Files.createTempDirectory("gate");
    new PluginJar().file("Gate").service("Model", "Gate").into(made);
    Files.createDirectories(models.resolve(version).getParent());
    Files.move(made, models.resolve(version));
  }

  private void compare(String state, Map<String, String> answers) throws IOException {
    var lines = new ArrayList<String>();
    answers.forEach((call, answer) -> lines.add(call + " | " + withoutPlaceAndTime(answer)));
    assertThat(lines).isEqualTo(Files.readAllLines(EXPECTED.resolve(state + ".txt")));
  }

  private String withoutPlaceAndTime(String answer) {
    return answer
        .replace(models.toString(), "MODELS")
        .replaceFirst("\"created\":\\d+", "\"created\":SECONDS")
        .strip();
  }

  @Test
  void aModelThatIsLoadingIsUnavailableByEveryProtocol() throws Exception {
    System.getProperties().put(LOAD, loads);
    try (var server = start();
        var calls = calls(server)) {
      try {
        gate("model/1");
        await(() -> isAt(server, VersionState.LOADING));
        compare("loading", calls.ask("model"));
      } finally {
        loads.release(100);
      }
    }
  }

  @Test
  void aVersionThatIsUnloadingIsAnsweredAlikeByAllCallsOfAProtocol() throws Exception {
    gate("model/1");
    System.getProperties().put(RUN, runs);
    try (var server = start();
        var calls = calls(server)) {
      await(() -> isAt(server, VersionState.AVAILABLE));
      CompletableFuture<?> running = CompletableFuture.runAsync(() -> calls.predict("model"));
      try {
        await(runs::hasQueuedThreads);
        Files.delete(models.resolve("model/1/model.jar"));
        Files.delete(models.resolve("model/1"));
        Files.delete(models.resolve("model"));
        await(() -> isAt(server, VersionState.UNLOADING));
        compare("unloading", calls.ask("model"));
      } finally {
        runs.release(100);
      }
      running.join();
    }
  }

  @Test
  void aModelWithoutANumberedVersionSaysSoByEveryProtocol() throws Exception {
    Files.createDirectories(models.resolve("model/newest"));
    try (var server = start();
        var calls = calls(server)) {
      compare("unnumbered", calls.ask("model"));
    }
  }

  @Test
  void aModelWhoseVersionIsEmptySaysSoByEveryProtocol() throws Exception {
    Files.createDirectories(models.resolve("model/1"));
    try (var server = start();
        var calls = calls(server)) {
      await(() -> isAt(server, VersionState.END));
      compare("empty", calls.ask("model"));
    }
  }

  private static boolean isAt(RunningServer server, VersionState state) {
    return server.control().versions("model").orElse(List.of()).stream()
        .map(VersionStatus::state)
        .anyMatch(state::equals);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("a minute is enough").isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
