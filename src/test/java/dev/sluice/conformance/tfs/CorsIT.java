package dev.sluice.conformance.tfs;

import dev.sluice.config.ListedModel;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.WantedModels;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener that lets pages from other origins ask. */
class CorsIT {
  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void start() {
    server = RunningServer.start(config());
    caller = new HttpCaller(server.port());
  }

  private static SluiceConfig config() {
    SluiceConfig defaults = SluiceConfig.DEFAULT;
    ListenerConfig listener = ListenerConfig.DEFAULT;
    return new SluiceConfig(
        List.of(
            new ListenerConfig(
                listener.host(),
                0,
                listener.protocols(),
                listener.v1(),
                listener.metricsPath(),
                listener.control(),
                true,
                listener.tls())),
        RepositoryConfig.of(
            new WantedModels(
                TestModels.tabular(),
                Map.of(
                    "half_plus_two", ListedModel.in(TestModels.savedModel("half_plus_two", "")))),
            Duration.ZERO),
        defaults.limits(),
        defaults.grps(),
        defaults.kserve(),
        defaults.log(),
        defaults.eventLoops(),
        defaults.transport(),
        defaults.shutdown());
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
  }

  static Stream<ConformanceCase> cases() {
    return ConformanceCase.of("tfs/cors").stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void answersPages(ConformanceCase each) {
    each.replay(caller);
  }
}
