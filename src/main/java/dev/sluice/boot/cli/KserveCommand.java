package dev.sluice.boot.cli;

import dev.sluice.boot.compat.CompatFlags;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.ControlConfig.Mode;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.config.server.RepositoryConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * {@code sluice kserve}: serves what KServe has put into one folder, with the flags that its
 * manifests pass to a runtime. Its ports answer while models load. Flags that mean nothing here are
 * named and ignored, so that a start line can be kept.
 */
@Command(
    name = "kserve",
    description = "Serves a model as a runtime of KServe, by the flags of its runtimes.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
final class KserveCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(KserveCommand.class);
  private static final String REFUSED =
      "loading and unloading, and log and trace settings, are refused; rules of security.policies"
          + " (in the file of --config) allow them";

  private static final String CONTROL = "models.control";
  private static final String CONTROL_VARIABLE = "SLUICE_MODELS_CONTROL";
  private static final int HIGHEST_PORT = 65_535;

  /** A name, an IPv4 address, or an IPv6 address with or without brackets. */
  private static final Pattern HOST =
      Pattern.compile("[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.%]{2,}|\\[[0-9A-Fa-f:.%a-z]+]");

  /** The environment variables that KServe's runtimes read, and the setting that each is here. */
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "CE_TYPE", "kserve.event_type",
          "CE_SOURCE", "kserve.event_source",
          "CE_MERGE", "kserve.event_merge");

  private final ServerStarter starter;
  private final Map<String, String> environment;

  @Option(
      names = "--model_name",
      paramLabel = "NAME",
      description = "The model's name, unless the folder holds several. Default: model.")
  private String modelName = "model";

  @Option(
      names = "--model_dir",
      paramLabel = "DIR",
      description =
          "One model (its file, or folders of versions), or a folder for each of several. Default:"
              + " /mnt/models.")
  private Path modelDir = Path.of("/mnt/models");

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "What both ports are bound to: [::] for IPv6 too, 127.0.0.1 for a proxy in the same pod."
              + " Default: 0.0.0.0.")
  private String host = "0.0.0.0";

  @Option(names = "--http_port", paramLabel = "PORT", description = "Default: 8080.")
  private int httpPort = 8080;

  @Option(
      names = "--grpc_port",
      paramLabel = "PORT",
      description = "Default: 8081. Both ports speak HTTP and gRPC.")
  private int grpcPort = 8081;

  @Option(
      names = "--enable_grpc",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "BOOL",
      description = "Whether the second port is opened. Default: true.")
  private boolean enableGrpc = true;

  @Option(
      names = "--protocols",
      paramLabel = "LIST",
      description =
          "What the ports carry besides KServe's V1, V2 and metrics: tfs, grps, brpc, openai."
              + " Default: nothing else.")
  private String protocols = "kserve";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Other settings in YAML; its listeners and models are not used.")
  private @Nullable Path config;

  @Mixin private SetOption set = new SetOption();

  @Unmatched private List<String> unknown = new ArrayList<>();
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  private KserveCommand(ServerStarter starter, Map<String, String> environment) {
    this.starter = starter;
    this.environment = environment;
  }

  /**
   * Joins the command line: an InferenceService's arguments come behind those of its runtime, and
   * win.
   */
  static CommandLine commandLine(ServerStarter starter, Map<String, String> environment) {
    return new CommandLine(new KserveCommand(starter, environment))
        .setOverwrittenOptionsAllowed(true);
  }

  @Override
  public Integer call() throws InterruptedException {
    SluiceConfig settings = LogSetup.whileReadingSettings(this::read);
    if (!allowsControl(settings.security())) {
      LOG.info(REFUSED);
    }
    ModelServerCommand.serve(settings, starter, spec.commandLine().getOut());
    return ExitCode.OK;
  }

  private static boolean allowsControl(SecurityConfig security) {
    return security.policies().stream()
        .anyMatch(rule -> rule.roles().contains(PolicyConfig.Role.CONTROL));
  }

  private SluiceConfig read(Consumer<String> warnings) {
    if (!unknown.isEmpty()) {
      warnings.accept("these arguments have no meaning here: " + String.join(" ", unknown));
    }
    SluiceConfig read =
        new SluiceConfigReader(warnings)
            .read(Optional.ofNullable(config), environment, overrides());
    return read.with(listeners(), repository(read));
  }

  /**
   * Returns the models and who decides about them: callers may load and unload, as KServe's servers
   * let them, as soon as a rule allows control.
   */
  private RepositoryConfig repository(SluiceConfig read) {
    RepositoryConfig repository = read.repository().withWanted(models());
    boolean chosen =
        environment.containsKey(CONTROL_VARIABLE)
            || set.overrides().stream().anyMatch(override -> override.path().equals(CONTROL));
    if (chosen || !allowsControl(read.security())) {
      return repository;
    }
    boolean strict = repository.control().strictReadiness();
    return repository.withControl(
        new ControlConfig(Mode.EXPLICIT, Set.of(ControlConfig.ALL), strict));
  }

  private DesiredModels models() {
    if (modelName.isBlank()) {
      throw new ConfigException("--model_name is empty; wanted the model's name");
    }
    return DesiredModels.only(Map.of(modelName, ListedModel.mounted(modelDir.toAbsolutePath())));
  }

  private List<SettingOverride> overrides() {
    List<SettingOverride> overrides = new ArrayList<>();
    ENVIRONMENT.forEach((variable, setting) -> {
      String value = environment.get(variable);
      if (value != null) {
        overrides.add(new SettingOverride(setting, value, variable));
      }
    });
    overrides.addAll(set.overrides());
    return overrides;
  }

  private List<ListenerConfig> listeners() {
    ListenerConfig http = listener("--http_port", httpPort);
    return enableGrpc && grpcPort != httpPort
        ? List.of(http, listener("--grpc_port", grpcPort))
        : List.of(http);
  }

  private Set<Protocol> carried() {
    Set<Protocol> carried = EnumSet.of(Protocol.KSERVE, Protocol.OIP, Protocol.METRICS);
    carried.addAll(CompatFlags.protocols("--protocols", protocols));
    return carried;
  }

  private ListenerConfig listener(String flag, int port) {
    if (port < 1 || port > HIGHEST_PORT) {
      throw new ConfigException(flag + " is " + port + "; wanted a port from 1 to " + HIGHEST_PORT);
    }
    if (!HOST.matcher(host).matches()) {
      throw new ConfigException(
          "--host is '"
              + host
              + "'; wanted an address to bind, such as 0.0.0.0, [::] or 127.0.0.1");
    }
    ListenerConfig defaults = ListenerConfig.DEFAULT;
    return new ListenerConfig(
        host.replace("[", "").replace("]", ""),
        port,
        carried(),
        V1Dialect.KSERVE,
        defaults.metricsPath(),
        defaults.control(),
        defaults.cors(),
        defaults.tls());
  }
}
