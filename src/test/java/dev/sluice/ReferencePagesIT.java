package dev.sluice;

import static dev.sluice.testing.GeneratedPage.cell;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.AccessLogConfig.Format;
import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.GeneratedPage;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SourceDocs;
import dev.sluice.transport.brpc.BrpcErrors;
import dev.sluice.transport.grpc.GrpcStatus;
import dev.sluice.transport.http.HttpStatus;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The reference pages of endpoints, metrics and error codes are what a running server and the
 * tables of the code say.
 */
class ReferencePagesIT {
  private static final Path PAGES = Path.of("src/docs/reference");
  private static final Path MEANINGS = Path.of("src/test/resources/reference/endpoints.txt");
  private static final String MODEL = "half_plus_two";

  @TempDir private static Path logs;
  private static HttpClient http;
  private static RunningServer server;

  @BeforeAll
  static void serveTheSampleModels() {
    http = HttpClient.newHttpClient();
    server =
        RunningServer.start(
            RunningServer.logging(
                RecordCopy.with(
                    RunningServer.settings(Path.of("src/sample/models")),
                    "observability.inferenceLog",
                    new InferenceLogConfig(
                        Optional.of(logs.resolve("inference.jsonl")),
                        Optional.empty(),
                        1,
                        1,
                        1,
                        0,
                        1,
                        Set.of())),
                logs.resolve("access.log"),
                Format.JSON));
  }

  @AfterAll
  static void close() {
    http.close();
    server.close();
  }

  @Test
  void endpointsAreThoseOfTheServer() throws Exception {
    var page = new StringBuilder(ENDPOINTS_HEAD);
    page.append(
        "## HTTP\n\n| path | methods | operation | role | |\n| --- | --- | --- | --- | --- |\n");
    Map<String, String> meanings = meanings();
    Set<String> known = new LinkedHashSet<>();
    for (AccessRow row : AccessRow.HTTP) {
      String path = row.path().replace(MODEL, "M").replace(AccessRow.REGION, "NAME");
      if (!row.path().startsWith("//") && known.add(path)) {
        assertThat(meanings).as("a line in %s", MEANINGS).containsKey(path);
        page.append(
            "| `%s` | %s | `%s` | `%s` | %s |%n"
                .formatted(
                    path,
                    methods(row),
                    row.operation().text(),
                    role(row.operation()),
                    cell(Objects.requireNonNull(meanings.get(path), path))));
      }
    }
    assertThat(known).containsAll(meanings.keySet());
    page.append("\n## gRPC\n\n").append(GRPC_HEAD);
    page.append(
        "| service | method | streams | operation | role |\n| --- | --- | --- | --- | --- |\n");
    rpcs().forEach(page::append);
    page.append(ENDPOINTS_TAIL);
    GeneratedPage.assertIs(PAGES.resolve("endpoints.md"), page.toString());
  }

  private static Map<String, String> meanings() throws IOException {
    Map<String, String> meanings = new LinkedHashMap<>();
    for (String line : Files.readAllLines(MEANINGS)) {
      if (!line.startsWith("#")) {
        int bar = line.indexOf(" | ");
        meanings.put(line.substring(0, bar), line.substring(bar + 3));
      }
    }
    return meanings;
  }

  /** What the server allows, as it says to a method that it does not. */
  private static String methods(AccessRow row) throws Exception {
    var answer =
        http.send(
            HttpRequest.newBuilder(URI.create(server.url() + row.path()))
                .method("PATCH", BodyPublishers.noBody())
                .build(),
            BodyHandlers.discarding());
    return answer
        .headers()
        .firstValue("Allow")
        .map(allowed -> allowed.replace(", HEAD", ""))
        .orElse(row.method());
  }

  private static String role(Operation operation) {
    return operation.role().name().toLowerCase(Locale.ROOT);
  }

  private static final Pattern SERVICE = Pattern.compile("(?ms)^service (\\w+) \\{(.*?)^}");
  private static final Pattern RPC =
      Pattern.compile("rpc (\\w+)\\((stream )?\\w+\\)\\s+returns \\((stream )?\\w+\\)");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

  /** The methods of the contracts, and of the services that every gRPC server has. */
  private static List<String> rpcs() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String file : List.of("tfs/services", "oip/service", "grps/grps")) {
      String proto = Files.readString(Path.of("src/main/proto", file + ".proto"));
      Matcher name = PACKAGE.matcher(proto);
      assertThat(name.find()).isTrue();
      Matcher service = SERVICE.matcher(proto);
      while (service.find()) {
        Matcher rpc = RPC.matcher(service.group(2));
        while (rpc.find()) {
          lines.add(
              rpc(
                  name.group(1) + "." + service.group(1),
                  rpc.group(1),
                  rpc.group(2),
                  rpc.group(3)));
        }
      }
    }
    lines.add(rpc("grpc.health.v1.Health", "Check", null, null));
    lines.add(rpc("grpc.reflection.v1.ServerReflection", "ServerReflectionInfo", "", ""));
    return lines;
  }

  private static String rpc(
      String service, String method, @Nullable String in, @Nullable String out) {
    Operation operation = AccessRow.GRPC.get(service + "/" + method);
    String streams =
        Stream.of(in == null ? "" : "requests", out == null ? "" : "responses")
            .filter(word -> !word.isEmpty())
            .collect(joining(", "));
    return "| `%s` | `%s` | %s | %s | %s |%n"
        .formatted(
            service,
            method,
            streams,
            operation == null ? "not served" : "`" + operation.text() + "`",
            operation == null ? "" : "`" + role(operation) + "`");
  }

  @Test
  void metricsAreThoseOfTheServer() throws Exception {
    ask("/v1/models/half_plus_two:predict", "{\"instances\": [1.0]}");
    ask("/v1/models/half_plus_two:explain", "{\"instances\": [1.0]}");
    ask("/v2/models/addsub/infer", "{}");
    ask("/v2/models/writer/generate_stream", "{\"text\": \"a\", \"steps\": 1}");
    String body =
        http.send(
                HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                BodyHandlers.ofString())
            .body();
    Map<String, String[]> metrics = new TreeMap<>();
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String line : body.lines().filter(OF_COLLECTIONS.asPredicate().negate()).toList()) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        metrics.put(words[2], new String[] {words[3], ""});
      } else if (line.startsWith("# TYPE ")) {
        Objects.requireNonNull(metrics.get(words[2]), line)[1] = words[3];
      } else {
        String name = line.split("[{ ]", 2)[0];
        String family =
            metrics.containsKey(name) ? name : name.replaceFirst("_(bucket|sum|count)$", "");
        Matcher label = LABEL.matcher(line);
        while (label.find()) {
          labels.computeIfAbsent(family, _ -> new TreeSet<>()).add(label.group(1));
        }
      }
    }
    var page = new StringBuilder(METRICS_HEAD);
    page.append("| metric | type | labels | |\n| --- | --- | --- | --- |\n");
    metrics.forEach((name, metric) ->
        page.append(
            "| `%s` | %s | %s | %s |%n"
                .formatted(
                    name,
                    metric[1],
                    labels.getOrDefault(name, Set.of()).stream()
                        .filter(label -> !label.equals("le"))
                        .map(label -> "`" + label + "`")
                        .collect(joining(", ")),
                    cell(metric[0]))));
    GeneratedPage.assertIs(PAGES.resolve("metrics.md"), page.toString());
  }

  private static final Pattern LABEL = Pattern.compile("[{,]([a-z_]+)=\"");

  /** Whether the page has them depends on what the garbage collector did. */
  private static final Pattern OF_COLLECTIONS = Pattern.compile("jvm_gc_(pause|concurrent)");

  private static void ask(String path, String body) throws Exception {
    http.send(
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.discarding());
  }

  @Test
  void errorCodesAreThoseOfTheTables() throws IOException {
    SourceDocs docs = SourceDocs.of(Path.of("src/main/java/dev/sluice/inference"));
    var page = new StringBuilder(ERRORS_HEAD);
    page.append("| code | at fault | HTTP | gRPC | grps | grps, predictions | brpc | meaning |\n");
    page.append("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (ErrorCode code : ErrorCode.values()) {
      var failure = new InferenceException(code, "");
      page.append(
          "| `%s` | %s | %d | %s (%d) | %d | %d | %d | %s |%n"
              .formatted(
                  code,
                  fault(code),
                  HttpStatus.of(code),
                  Status.fromCodeValue(GrpcStatus.of(code)).getCode(),
                  GrpcStatus.of(code),
                  GrpsStatus.of(failure).code(),
                  GrpsStatus.ofPrediction(failure).code(),
                  BrpcErrors.of(code),
                  docs.get("ErrorCode." + code)));
    }
    page.append(ERRORS_TAIL);
    GeneratedPage.assertIs(PAGES.resolve("error-codes.md"), page.toString());
  }

  private static String fault(ErrorCode code) {
    return switch (code.fault()) {
      case CALLER -> "client error";
      case CAPACITY -> "resource exhaustion";
      case SERVER -> "server error";
    };
  }

  private static final String ENDPOINTS_HEAD =
      """
      # Endpoints

      Every listener answers all of these on one port, unless `listeners[].protocols` leaves some out. Each belongs to one
      operation, and each operation to one role: [who may do what](../security.md). `M` is a model's name. In V1 paths, `/versions/N` or `/labels/L`
      may follow it; in the V2 paths of a model, `/versions/N`. A known path with another method is answered with 405 and `Allow`, an unknown one
      with 404; below `/v1`, where TensorFlow Serving's words come first, both with 400. `/console` and the files below it are the page of the [console](../operate/console.md), on listeners that have it: they are the same for
      every caller and need no right. `/openapi` has the same as [OpenAPI documents](../guides/openapi.md), with schemas of the models that are loaded.

      """;

  private static final String GRPC_HEAD =
      """
      The server answers reflection, so that clients such as grpcurl need no files. gRPC-Web is answered too. The service
      `grps.protos.v1.GrpsBrpcService`, over brpc's own protocol (baidu_std), has the methods of `GrpsService` except the streaming one; messages may be
      compressed with snappy, gzip or zlib.

      """;

  private static final String ENDPOINTS_TAIL =
      """

      ## Deadlines

      A request's deadline is the earliest of: the deadline of gRPC; `timeout` (microseconds) among the parameters of V2; on every path the header
      `Request-Timeout: 2` (seconds; also `500ms`, `2s`, `1m`); Envoy's `x-envoy-expected-rq-timeout-ms` and
      `x-envoy-upstream-rq-timeout-ms`; and `limits.request_timeout`. At the deadline the
      caller is answered with 504 or DEADLINE_EXCEEDED, whether the request waits or runs; with 503 or UNAVAILABLE, as Triton's queues answer, if it has a `timeout` of V2 and waits. A request that waits leaves the queue at once, as does a cancelled
      one. A run is stopped if the runtime can do that (ONNX Runtime); else its late result is dropped when it ends (TensorFlow), and the run is counted. A run that
      has taken 30 s is one WARN line with the model and the time.
      """;

  private static final String METRICS_HEAD =
      """
      # Metrics

      One page, in Prometheus' text format, or as OpenMetrics 1.0 for those whose `Accept` prefers it, has the metrics by Sluice's own names, and by those that the dashboards of other servers use, of the servers
      whose protocols its listener carries: `tfs` TensorFlow Serving, `oip` Triton, `kserve` KServe. A listener for `metrics` alone has those of all
      listeners. A call is counted when it is answered, with the status of gRPC's names, and timed if it succeeded. Names that no model has are counted by
      themselves up to a cardinality limit of 20, all others under the empty name. The reason of `nv_inference_request_failure` is `REJECTED` if the model
      was too busy, `CANCELED` if the caller went away, `BACKEND` if the model failed. The same counts are in the statistics of V2. There are no metrics of
      GPUs. Triton's histogram of first responses and its summaries are there if `oip.latencies` says so. As OpenMetrics, the histograms of `sluice_*` name sampled requests:
      [exemplars](../operate/tracing.md#from-a-chart-to-a-trace). Those by Sluice's own names, of the process and of plugins can be [sent to a collector](../operate/metrics-export.md) too.

      | names | what they count |
      | --- | --- |
      | `:tensorflow:serving:*`, `:tensorflow:cc:saved_model:*` | calls of TensorFlow Serving's RPCs and of the V1 paths; queues, warm-ups, loads |
      | `nv_inference_*`, `nv_cache_*`, `nv_model_load_*`, `nv_cpu_*` | requests to loaded versions by every protocol, and the runs that answered them, from 0 when the version is loaded |
      | `request_*_seconds` | calls of V1 and V2: decoding, waiting and running, encoding, explaining |
      | `sluice_*` | calls of every protocol, queues, runs, rejections, versions, connections, event loops, native memory |
      | `process_*` | the process, by the names that all Prometheus clients have, and `process_cpu_usage` |
      | `jvm_*`, `system_*` | the Java VM and the machine's processors, by Micrometer's names, which boards for it know |
      | `plugin_*` | what [plugins](../guides/plugins.md) record |

      A metric is on the page once it has a series. Of the names below, those without one are left out, except in Prometheus' text format of TensorFlow
      Serving's and Triton's names; besides them there are:

      - `sluice_certificate_expiry_timestamp_seconds{listener}`: until when the certificate of a listener with TLS is valid, in seconds since 1970;
      - `sluice_model_process_resident_bytes{model,version,pid}`: memory of the processes that run isolated models;
      - `jvm_gc_pause_seconds{action,cause,gc}` (`_count`, `_sum`, `_max`) and `jvm_gc_concurrent_phase_time_seconds`: garbage collections since the first
        time that the page was asked for, once there was one;
      - `sluice_spans_exported_total` and `sluice_spans_dropped_total` with a [collector of spans](../operate/tracing.md), `sluice_metric_exports_total` and
        `sluice_metric_export_failures_total` with one of metrics.

      Boards for TensorFlow Serving and Triton name counters without `_total`. In the text format these are counters all the same; OpenMetrics does not
      allow that, and so calls their type unknown.

      """;

  private static final String ERRORS_HEAD =
      """
      # Error codes

      A failure has one code, whatever the protocol. Each protocol answers it with its own status and body, and a text that names the thing, what was got
      and what was wanted. A client error is logged as INFO, resource exhaustion as WARN, a server error as ERROR.

      """;

  private static final String ERRORS_TAIL =
      """

      429, 503 and their gRPC statuses come with `Retry-After` in seconds, and over gRPC with `grpc-retry-pushback-ms`, where the server knows when
      trying again may work. TensorFlow Serving's and Triton's queues reject with 503 and UNAVAILABLE where the settings say so (`queue_full: unavailable`,
      Triton's queue policies).
      """;
}
