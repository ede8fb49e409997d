package dev.sluice.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.boot.CommandLineProbe;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.Grpcurl;
import dev.sluice.testing.MiniLm;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Does what a page says, from its top to its end, in a folder of its own that also has the
 * repository's folders. One thread.
 *
 * <ul>
 *   <li>A block with a title is a file of that name; below {@code /etc/sluice} stands for the
 *       folder.
 *   <li>A file {@code sluice.yml}, and every command that starts a server, gives the settings of
 *       the server that later commands ask. Before that, it is one with the sample models, on which
 *       every caller may use control operations.
 *   <li>A server starts when a command first names one of its ports, on a free port instead.
 *   <li>What {@code hf} downloads is the one real model that the tests have.
 *   <li>What is printed has to be what the page shows, if it shows something; three full stops
 *       stand for anything. JSON of grpcurl is compared as JSON.
 * </ul>
 */
final class Reader implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Set<String> SERVERS =
      Set.of("serve", "tensorflow_model_server", "tritonserver", "kserve");
  private static final Set<String> CLIENTS = Set.of("infer", "health");
  private static final List<String> FOLDERS = List.of("src", "conf", "k8s", "target");
  private static final Path SAMPLES = Path.of("src/sample/models").toAbsolutePath();

  private final Path folder;
  private SluiceConfig settings = samples(RunningServer.LISTENER.withPort(8080));
  private @Nullable RunningServer server;
  private Map<Integer, Integer> ports = Map.of();

  Reader(Path folder) throws IOException {
    this.folder = folder;
    for (String name : FOLDERS) {
      Files.createSymbolicLink(folder.resolve(name), Path.of(name).toAbsolutePath());
    }
  }

  private static SluiceConfig samples(ListenerConfig listener) {
    return SluiceConfig.DEFAULT.with(
        List.of(listener),
        RepositoryConfig.of(new DesiredModels(SAMPLES, Map.of()), Duration.ZERO));
  }

  void does(DocsPage.Block block) throws Exception {
    switch (block) {
      case DocsPage.NamedFile file -> write(file);
      case DocsPage.Command command -> run(command);
      case DocsPage.Settings _ -> {}
    }
  }

  private void write(DocsPage.NamedFile file) throws IOException {
    Path path = folder.resolve(file.name().replaceFirst("^/etc/sluice/", ""));
    Files.createDirectories(path.getParent());
    Files.writeString(path, here(file.text()));
    if (file.name().equals("sluice.yml")) {
      use(new SluiceConfigReader(_ -> {}).read(Optional.of(path), Map.of(), List.of()));
    }
  }

  /** Paths of the page, in the folder. */
  private String here(String text) {
    return text.replace("/etc/sluice/", folder + "/")
        .replace("directory: models", "directory: " + folder.resolve("models"));
  }

  private void use(SluiceConfig next) {
    close();
    boolean default_ =
        next.repository()
            .wanted()
            .directories()
            .equals(SluiceConfig.DEFAULT.repository().wanted().directories());
    settings =
        default_
            ? next.with(
                next.listeners(),
                next.repository()
                    .withWanted(new DesiredModels(SAMPLES, next.repository().wanted().listed())))
            : next;
  }

  private void run(DocsPage.Command command) throws Exception {
    String tool = command.line().replaceFirst(" .*", "");
    switch (tool) {
      case "make" ->
          assertThat(shell(command.line().replaceFirst("^make", "make --dry-run"), Path.of("")))
              .isNotEmpty();
      case "hf" -> MiniLm.writeTo(Files.createDirectories(folder.resolve("models")), "minilm");
      case "sluice", "target/sluice/bin/sluice" -> sluice(command);
      case "grpcurl" ->
          assertThat(JSON.readTree(Grpcurl.run(addressed(command.line()))))
              .isEqualTo(JSON.readTree(command.output()));
      default -> assertPrinted(shell(addressed(command.line()), folder), command);
    }
  }

  private static void assertPrinted(String printed, DocsPage.Command command) {
    if (command.line().startsWith("curl ") && command.output().isEmpty()) {
      assertThat(printed).isEmpty();
    }
    if (!command.output().isEmpty()) {
      String pattern = Pattern.quote(command.output()).replace("...", "\\E.*\\Q");
      assertThat(printed).as(command.line()).matches(Pattern.compile(pattern, Pattern.DOTALL));
    }
  }

  private void sluice(DocsPage.Command command) throws Exception {
    String rest = command.line().substring(command.line().indexOf(' ') + 1);
    List<String> args =
        shell("printf '%s\\n' " + rest, folder).lines().map(this::argument).toList();
    if (CLIENTS.contains(args.getFirst())) {
      String url = "--url=" + addressed("http://localhost:8080");
      assertPrinted(
          CommandLineProbe.output(
                  Stream.concat(args.stream(), Stream.of(url)).toArray(String[]::new))
              .strip(),
          command);
      return;
    }
    if (args.getFirst().equals("replay")) {
      String[] there = args.stream().map(this::addressed).toArray(String[]::new);
      assertPrinted(CommandLineProbe.output(there).strip(), command);
      return;
    }
    boolean serves = SERVERS.contains(args.getFirst()) && !args.contains("--help");
    if (!serves) {
      assertThat(CommandLineProbe.exitCode(args.toArray(String[]::new))).as(rest).isZero();
      return;
    }
    use(
        CommandLineProbe.settings(args.toArray(String[]::new))
            .orElseThrow(() -> new AssertionError("does not start: " + command.line())));
  }

  /** An argument, or what is behind its equals sign, that is a path in the folder. */
  private String argument(String text) {
    int value = text.startsWith("--") ? text.indexOf('=') + 1 : 0;
    String path = text.substring(value);
    return !path.isEmpty() && Files.exists(folder.resolve(path))
        ? text.substring(0, value) + folder.resolve(path)
        : text;
  }

  /** The line with the ports that the server really has; starts it if the line names one. */
  private String addressed(String line) {
    boolean asks = line.matches(".*\\b(localhost|127\\.0\\.0\\.1):\\d+.*");
    if (asks && server == null) {
      start();
    }
    String there = line;
    for (var port : ports.entrySet()) {
      there =
          there.replaceAll(
              "\\b(localhost|127\\.0\\.0\\.1):" + port.getKey() + "\\b", "$1:" + port.getValue());
    }
    return there;
  }

  private void start() {
    List<ListenerConfig> wanted = settings.listeners();
    var started =
        RunningServer.start(
            settings.with(wanted.stream().map(Reader::anywhere).toList(), settings.repository()));
    server = started;
    Map<Integer, Integer> real = new LinkedHashMap<>();
    List<ListenerConfig> onPorts = wanted.stream().filter(one -> one.socket().isEmpty()).toList();
    for (int i = 0; i < onPorts.size(); i++) {
      real.put(onPorts.get(i).port(), started.ports().get(i));
    }
    ports = real;
  }

  private static ListenerConfig anywhere(ListenerConfig listener) {
    return listener.socket().isPresent()
        ? listener
        : RecordCopy.with(listener.withPort(0), "host", "localhost");
  }

  private static String shell(String line, Path folder) throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder("sh", "-c", line.replace("'target/sluice/lib/*'", "target/classes"))
            .directory(folder.toAbsolutePath().toFile())
            .redirectErrorStream(true);
    builder
        .environment()
        .merge("PATH", System.getProperty("java.home") + "/bin", (path, jdk) -> jdk + ":" + path);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(line + "\n" + output).isZero();
    return output.strip();
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
      server = null;
      ports = Map.of();
    }
  }
}
