package dev.sluice.loadtest.generator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.loadtest.process.Children;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Rounds of {@code wrk}, for HTTP/1.1. Its own report rounds the figures, so a script prints them
 * as one line of JSON.
 */
public final class Wrk {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern REPORT = Pattern.compile("(?m)^\\{.*}$");
  private static final String SCRIPT = "wrk.lua";

  private final Children children;
  private final Path folder;

  /**
   * @param children what runs the program, and ends it with everything else
   * @param folder where bodies and scripts are written
   */
  public Wrk(Children children, Path folder) {
    this.children = children;
    this.folder = folder;
  }

  /**
   * Asks as fast as answers come.
   *
   * @throws GeneratorException if not every answer was good
   */
  public Measurement run(String server, Request request, Load load) {
    return run(server, request, load, 0);
  }

  /**
   * Asks at a rate, with random pauses, so that requests come as those of many strangers do.
   *
   * @param rate of all connections together, per second, at most about 1000 per connection
   */
  public Measurement runAt(double rate, String server, Request request, Load load) {
    long pauseMillis = Math.max(1, Math.round(2_000.0 * load.connections() / rate));
    return run(server, request, load, pauseMillis);
  }

  private Measurement run(String server, Request request, Load load, long pauseMillis) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Generators.WRK.program(),
                "--threads=" + load.threads(),
                "--connections=" + load.connections(),
                "--duration=" + Math.max(1, load.duration().toSeconds()) + "s",
                "--timeout=10s",
                "--script=" + script(),
                server + request.path(),
                "--"));
    command.addAll(List.of(body(request).toString(), Long.toString(pauseMillis)));
    request.headers().forEach((name, value) -> command.addAll(List.of(name, value)));
    return parse(children.output(command, load.duration().plus(Duration.ofSeconds(30))));
  }

  private Path script() {
    try (InputStream script = Objects.requireNonNull(Wrk.class.getResourceAsStream(SCRIPT))) {
      return Files.write(folder.resolve(SCRIPT), script.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path body(Request request) {
    try {
      return Files.write(folder.resolve("wrk-body"), request.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what a round printed. */
  static Measurement parse(String output) {
    var report = REPORT.matcher(output);
    if (!report.find()) {
      throw new GeneratorException("wrk reported nothing: " + output);
    }
    JsonNode figures = read(report.group());
    long answers = figures.get("requests").asLong();
    if (answers == 0 || figures.get("failed").asLong() + figures.get("refused").asLong() > 0) {
      throw new GeneratorException("not every request had a good answer: " + report.group());
    }
    return new Measurement(
        answers * 1e6 / figures.get("micros").asDouble(),
        figures.get("p50").asDouble(),
        figures.get("p99").asDouble(),
        answers);
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new GeneratorException("wrk reported what is no JSON: " + json);
    }
  }
}
