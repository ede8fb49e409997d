package dev.sluice.boot.cli;

import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.LogConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice serve}: starts a server, says what is there, and waits until a signal stops it. */
@Command(
    name = "serve",
    description = "Serves the models until a signal stops it (SIGTERM or Ctrl-C).",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
public final class ServeCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  private final ServerStarter starter;
  private final Map<String, String> environment;

  @Mixin private SettingsOptions options;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  ServeCommand(ServerStarter starter, Map<String, String> environment) {
    this.starter = starter;
    this.environment = environment;
  }

  @Override
  public Integer call() throws InterruptedException {
    SluiceConfig config = LogSetup.whileReadingSettings(warn -> options.read(environment, warn));
    serve(
        config,
        starter,
        Server::awaitModels,
        server -> welcome(config, server),
        spec.commandLine().getOut());
    return ExitCode.OK;
  }

  /**
   * Starts a server, says what is there, and waits until a signal stops it. Signals count from the
   * beginning, since it answers before it has started to the end.
   *
   * @param loading waits for the models, as far as they are waited for; what it throws ends all
   * @param welcome lines for people; programs that read the log get records
   * @throws StartFailure if it cannot start
   */
  static void serve(
      SluiceConfig config,
      ServerStarter starter,
      Consumer<Server> loading,
      Function<Server, List<String>> welcome,
      PrintWriter out)
      throws InterruptedException {
    var stopping = new GracefulShutdown();
    stopping.onSignal();
    try {
      Server server = starter.start(config);
      stopping.hasStarted(server);
      loading.accept(server);
      if (!stopping.hasBegun()) {
        greet(config, server, welcome, out);
      }
    } catch (RuntimeException | Error e) {
      stopping.cancel();
      throw e;
    }
    stopping.await();
  }

  private static void greet(
      SluiceConfig config, Server server, Function<Server, List<String>> welcome, PrintWriter out) {
    if (config.observability().log().format() == LogConfig.Format.JSON) {
      log(config, server);
    } else {
      welcome.apply(server).forEach(out::println);
      out.flush();
    }
  }

  /** Says the same to programs that read the log: nothing but records is printed for them. */
  private static void log(SluiceConfig config, Server server) {
    for (int i = 0; i < server.addresses().size(); i++) {
      LOG.atInfo()
          .addKeyValue("protocols", protocols(config.listeners().get(i)))
          .log("Sluice {} listens on {}", VersionText.number(), server.addresses().get(i));
    }
  }

  private static String protocols(ListenerConfig listener) {
    return listener.protocols().stream()
        .sorted()
        .map(Protocol::name)
        .map(name -> name.toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  /** Returns the lines that greet the operator: listeners, models, and a request to try. */
  public static List<String> welcome(SluiceConfig config, Server server) {
    List<String> lines = new ArrayList<>();
    lines.add("Sluice " + VersionText.number() + " listens on");
    lines.addAll(listeners(config.listeners(), server.addresses()));
    lines.add("");
    List<ModelLine> models = server.models();
    if (models.isEmpty()) {
      lines.add("No models yet in " + ModelReports.directories(config.repository()) + ".");
    } else {
      lines.addAll(ModelReports.states(models));
    }
    for (int i = 0; i < server.addresses().size(); i++) {
      var example = new ExampleRequest(config.listeners().get(i), server.addresses().get(i));
      var curl = example.curl(models);
      if (curl.isPresent()) {
        lines.addAll(List.of("", "Try:", "  " + curl.get()));
        break;
      }
    }
    return lines;
  }

  private static List<String> listeners(List<ListenerConfig> wanted, List<String> addresses) {
    var table = new TextTable("", "");
    for (int i = 0; i < addresses.size(); i++) {
      String scheme = wanted.get(i).tls().isEmpty() ? "  http://" : "  https://";
      table.row(scheme + addresses.get(i), protocols(wanted.get(i)));
    }
    return table.lines().stream().skip(1).toList();
  }
}
