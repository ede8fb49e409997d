package dev.sluice.boot.compat;

import dev.sluice.boot.compat.CompatFlag.Kind;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.RemotePath;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.ControlConfig.Mode;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Translates the flags of {@code tritonserver} to settings of Sluice.
 *
 * <p>The result is the same {@code SluiceConfig} that a settings file gives.
 */
public final class TritonSettings {
  private static final int HIGHEST_PORT = 65_535;
  private static final long MOST_SECONDS = 1_000_000;
  private static final int MOST = 1_000;
  private static final String ANYWHERE = "0.0.0.0";

  private final CompatFlags<TritonFlag> flags;
  private final Map<String, String> environment;
  private final Consumer<String> warnings;
  private final List<SettingOverride> overrides = new ArrayList<>();

  public TritonSettings(
      CompatFlags<TritonFlag> flags, Map<String, String> environment, Consumer<String> warnings) {
    this.flags = flags;
    this.environment = environment;
    this.warnings = warnings;
  }

  /**
   * Puts everything together.
   *
   * @throws ConfigException naming the flag that is wrong
   */
  public SluiceConfig read() {
    refuse();
    warn();
    loading();
    limits();
    overrides.addAll(TritonTraces.of(flags, warnings));
    overrides.addAll(TritonLatencyMetrics.of(flags, warnings));
    overrides.addAll(TritonBackendConfig.of(flags, warnings));
    overrides.addAll(TritonLog.of(flags));
    rateLimit();
    set(TritonFlag.ID, "oip.server_name", flags.text(TritonFlag.ID).orElse("triton"));
    // There, nothing is refused for waiting long: queue policies say how many may wait.
    overrides.add(
        new SettingOverride("models.defaults.admission.adaptive", "false", "tritonserver"));
    SluiceConfig read =
        new SluiceConfigReader(warnings).read(Optional.empty(), environment, overrides);
    return read.with(
            listeners(),
            read.repository()
                .withWanted(new DesiredModels(directories(), Map.of()))
                .withControl(control()))
        .with(read.security().withRestricted(TritonRestrictions.of(flags)));
  }

  /** Rejects unknown flags, as that server does. */
  private void refuse() {
    if (!flags.unknown().isEmpty()) {
      throw new ConfigException(
          "unrecognized option '"
              + flags.unknown().getFirst().replaceFirst("=.*", "")
              + "'; sluice tritonserver --help lists them");
    }
    flags.refuse();
  }

  private void warn() {
    for (TritonFlag flag : flags.given(Kind.NO_EFFECT)) {
      warnings.accept(flag.flag() + " has no effect: " + flag.text());
    }
  }

  private List<Path> directories() {
    List<Path> directories = new ArrayList<>();
    for (TritonFlag flag : List.of(TritonFlag.MODEL_REPOSITORY, TritonFlag.MODEL_STORE)) {
      for (String text : flags.all(flag)) {
        if (text.isBlank() || text.indexOf('\0') >= 0 || !Files.isDirectory(Path.of(text))) {
          throw CompatFlags.wanted(
              flag, "'" + text + "'", RemotePath.is(text) ? RemotePath.WANTED : "a folder");
        }
        directories.add(Path.of(text));
      }
    }
    if (directories.isEmpty()) {
      throw new ConfigException("--model-repository is missing; wanted a folder of models");
    }
    return directories;
  }

  private ControlConfig control() {
    Mode mode =
        switch (flags.text(TritonFlag.MODEL_CONTROL_MODE).orElse("none")) {
          case "none" -> Mode.NONE;
          case "poll" -> Mode.POLL;
          case "explicit" -> Mode.EXPLICIT;
          case String other ->
              throw CompatFlags.wanted(
                  TritonFlag.MODEL_CONTROL_MODE, other, "none, poll or explicit");
        };
    Set<String> load = new LinkedHashSet<>(flags.all(TritonFlag.LOAD_MODEL));
    if (mode != Mode.EXPLICIT && !load.isEmpty()) {
      throw new ConfigException("--load-model needs --model-control-mode=explicit");
    }
    return new ControlConfig(mode, load, flags.on(TritonFlag.STRICT_READINESS, true));
  }

  private void loading() {
    set(
        TritonFlag.REPOSITORY_POLL_SECS,
        "models.poll_interval",
        flags.number(TritonFlag.REPOSITORY_POLL_SECS, 15, 0, MOST_SECONDS) + "s");
    set(
        TritonFlag.EXIT_TIMEOUT_SECS,
        "shutdown.drain_timeout",
        flags.number(TritonFlag.EXIT_TIMEOUT_SECS, 30, 0, MOST_SECONDS) + "s");
    count(TritonFlag.MODEL_LOAD_THREAD_COUNT, "models.loading.threads");
    count(TritonFlag.MODEL_LOAD_RETRY_COUNT, "models.loading.retries");
  }

  private void count(TritonFlag flag, String path) {
    set(flag, path, Long.toString(flags.number(flag, 0, 0, MOST)));
  }

  private void limits() {
    flags
        .text(TritonFlag.HTTP_MAX_INPUT_SIZE)
        .ifPresent(bytes -> {
          set(TritonFlag.HTTP_MAX_INPUT_SIZE, "limits.max_body_size", bytes);
          set(TritonFlag.HTTP_MAX_INPUT_SIZE, "limits.max_inflated_size", bytes);
        });
    flags
        .text(TritonFlag.RESPONSE_CACHE_BYTE_SIZE)
        .ifPresent(bytes -> set(TritonFlag.RESPONSE_CACHE_BYTE_SIZE, "limits.cache_size", bytes));
    flags.all(TritonFlag.CACHE_CONFIG).forEach(this::cache);
    text(TritonFlag.HTTP_HEADER_FORWARD_PATTERN, "oip.forward_http_headers");
    text(TritonFlag.GRPC_HEADER_FORWARD_PATTERN, "oip.forward_grpc_metadata");
    if (flags.on(TritonFlag.ALLOW_CLIENT_SHM, false)) {
      set(TritonFlag.ALLOW_CLIENT_SHM, "oip.shared_memory.enabled", "true");
    }
  }

  private void rateLimit() {
    flags
        .text(TritonFlag.RATE_LIMIT)
        .ifPresent(mode ->
            set(
                TritonFlag.RATE_LIMIT,
                "models.rate_limit.mode",
                switch (mode.toLowerCase(Locale.ROOT)) {
                  case "off" -> "none";
                  case "execution_count" -> "execution_count";
                  default ->
                      throw CompatFlags.wanted(
                          TritonFlag.RATE_LIMIT, mode, "execution_count or off");
                }));
    List<String> resources = flags.all(TritonFlag.RATE_LIMIT_RESOURCE);
    if (!resources.isEmpty()) {
      set(
          TritonFlag.RATE_LIMIT_RESOURCE,
          "models.rate_limit.resources",
          String.join(",", resources));
    }
  }

  private void text(TritonFlag flag, String path) {
    flags.text(flag).ifPresent(text -> set(flag, path, text));
  }

  private void cache(String text) {
    if (!text.startsWith("local,size=")) {
      throw CompatFlags.wanted(TritonFlag.CACHE_CONFIG, text, "local,size=BYTES");
    }
    set(TritonFlag.CACHE_CONFIG, "limits.cache_size", text.substring(text.indexOf('=') + 1));
  }

  private void set(TritonFlag flag, String path, String value) {
    overrides.add(new SettingOverride(path, value, flag.flag()));
  }

  /** Returns the listeners; protocols with the same address share one. */
  private List<ListenerConfig> listeners() {
    String http = flags.text(TritonFlag.HTTP_ADDRESS).orElse(ANYWHERE);
    Set<Protocol> carried = EnumSet.of(Protocol.OIP);
    carried.addAll(flags.protocols(TritonFlag.PROTOCOLS));
    Map<ListenerConfig, Set<Protocol>> open = new LinkedHashMap<>();
    if (flags.on(TritonFlag.ALLOW_HTTP, true)) {
      add(open, http, TritonFlag.HTTP_PORT, 8_000, carried, Optional.empty());
    }
    if (flags.on(TritonFlag.ALLOW_GRPC, true)) {
      String host = flags.text(TritonFlag.GRPC_ADDRESS).orElse(ANYWHERE);
      add(open, host, TritonFlag.GRPC_PORT, 8_001, carried, tls());
    }
    if (open.isEmpty()) {
      throw new ConfigException("--allow-http is false and so is --allow-grpc; wanted one");
    }
    if (flags.on(TritonFlag.ALLOW_METRICS, true)) {
      String host = flags.text(TritonFlag.METRICS_ADDRESS).orElse(http);
      add(
          open,
          host,
          TritonFlag.METRICS_PORT,
          8_002,
          EnumSet.of(Protocol.METRICS),
          Optional.empty());
    }
    return open.entrySet().stream()
        .map(entry -> speaking(entry.getKey(), entry.getValue()))
        .toList();
  }

  private void add(
      Map<ListenerConfig, Set<Protocol>> open,
      String host,
      TritonFlag port,
      int otherwise,
      Set<Protocol> protocols,
      Optional<TlsConfig> tls) {
    ListenerConfig defaults = ListenerConfig.DEFAULT;
    ControlAccess control = access();
    var place =
        new ListenerConfig(
            host,
            (int) flags.number(port, otherwise, 0, HIGHEST_PORT),
            Set.of(),
            defaults.v1(),
            defaults.metricsPath(),
            control,
            false,
            tls);
    open.computeIfAbsent(place, _ -> EnumSet.noneOf(Protocol.class)).addAll(protocols);
  }

  /** Returns the access to control; as in Triton, any process on the machine may share memory. */
  private ControlAccess access() {
    ControlAccess control = flags.control(TritonFlag.ENABLE_CONTROL);
    if (control.never() || !flags.on(TritonFlag.ALLOW_CLIENT_SHM, false)) {
      return control;
    }
    Set<ControlAccess.Operation> open = EnumSet.of(ControlAccess.Operation.SHARED_MEMORY);
    open.addAll(control.open());
    return new ControlAccess(false, open);
  }

  /** Returns the encryption of the port for gRPC; the other ports have none there. */
  private Optional<TlsConfig> tls() {
    boolean mutual = flags.on(TritonFlag.GRPC_USE_SSL_MUTUAL, false);
    if (!mutual && !flags.on(TritonFlag.GRPC_USE_SSL, false)) {
      return Optional.empty();
    }
    return Optional.of(
        new TlsConfig(
            file(TritonFlag.GRPC_SERVER_CERT),
            file(TritonFlag.GRPC_SERVER_KEY),
            mutual ? Optional.of(file(TritonFlag.GRPC_ROOT_CERT)) : Optional.empty()));
  }

  private Path file(TritonFlag flag) {
    return Path.of(
        flags
            .text(flag)
            .orElseThrow(
                () -> new ConfigException(flag.flag() + " is missing; wanted a PEM file")));
  }

  private static ListenerConfig speaking(ListenerConfig place, Set<Protocol> protocols) {
    return new ListenerConfig(
        place.host(),
        place.port(),
        protocols,
        place.v1(),
        place.metricsPath(),
        place.control(),
        place.cors(),
        place.tls());
  }
}
