package dev.sluice.boot.infer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code sluice infer} against a real server with the sample models, by each protocol. */
class InferCommandIT {
  private static final Path SAMPLES = Path.of("src/sample/models").toAbsolutePath();
  private static RunningServer server;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String stdin = "";

  @BeforeAll
  static void start() {
    server = RunningServer.start(SAMPLES);
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          v2        | {"model_name":"half_plus_two","model_version":"2","outputs":[{"name":"y","datatype":"FP32","shape":[3],"data":[2.5,3.0,4.5]}]}
          v2-grpc   | {"model_name":"half_plus_two","model_version":"2","outputs":[{"name":"y","datatype":"FP32","shape":[3],"data":[2.5,3.0,4.5]}]}
          v1        | {"predictions":[2.5,3.0,4.5]}
          tfs       | {"outputs":[2.5,3.0,4.5]}
          tfs-grpc  | {"outputs":{"y":{"dtype":"DT_FLOAT","tensor_shape":{"dim":[{"size":"3"}]},"float_val":[2.5,3.0,4.5]}},"model_spec":{"name":"half_plus_two","version":"2","signature_name":"serving_default"}}
          grps      | {"status":{"code":200,"msg":"OK","status":"SUCCESS"},"gtensors":{"tensors":[{"name":"y","dtype":"DT_FLOAT32","shape":[3],"flat_float32":[2.5,3.0,4.5]}]}}
          grps-grpc | {"status":{"code":200,"msg":"OK","status":"SUCCESS"},"gtensors":{"tensors":[{"name":"y","dtype":"DT_FLOAT32","shape":[3],"flat_float32":[2.5,3.0,4.5]}]}}
          """)
  void inputIsAnsweredByEachProtocol(String protocol, String response) {
    int code = infer("half_plus_two", "--protocol", protocol, "--input", "x=1,2,5", "--version=2");
    assertThat(err.toString()).isEmpty();
    assertThat(code).isZero();
    assertThat(out.toString().strip()).isEqualTo(response);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v2-grpc", "tfs-grpc", "grps", "grps-grpc"})
  void modelThatIsNotThereIsAFailureWithTheServersWords(String protocol) {
    assertThat(infer("nope", "--protocol", protocol, "--input", "x=1")).isOne();
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith("sluice: ").contains("nope").doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v2-grpc"})
  void oneFileIsARequestOfV2ByBothTransports(String protocol) throws IOException {
    Path request =
        Files.writeString(
            folder.resolve("request.json"),
            """
            {"inputs":[{"name":"text","datatype":"BYTES","shape":[1],"data":["Wo ist der Bahnhof?"]}],
             "outputs":[{"name":"language"}]}
            """);
    assertThat(infer("language", request.toString(), "--protocol", protocol)).isZero();
    assertThat(out.toString())
        .contains(
            "{\"name\":\"language\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"German\"]}")
        .doesNotContain("score");
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v2-grpc", "v1", "tfs", "tfs-grpc", "grps", "grps-grpc"})
  void versionThatIsNoNumberIsAWrongFlag(String protocol) {
    int code = infer("half_plus_two", "--protocol", protocol, "--input", "x=1", "--version", "abc");
    assertThat(code).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("sluice: --version is 'abc'; wanted a whole number");
  }

  @Test
  void requestComesFromStandardInput() {
    stdin = "{\"instances\":[4.0]}";
    assertThat(infer("half_plus_two", "-", "--protocol=v1")).isZero();
    assertThat(out.toString().strip()).isEqualTo("{\"predictions\":[4.0]}");
  }

  @Test
  void inputsComeFromFilesOfNumpyAndOfJsonAndFromStandardInput() throws IOException {
    Path array = npy("'<f4', 'fortran_order': False, 'shape': (2,), ", 1f, 3f);
    assertThat(infer("half_plus_two", "--input=x=" + array, "--protocol=v1")).isZero();
    Path big = npy("'>f4', 'fortran_order': False, 'shape': (2,), ", 1f, 3f);
    assertThat(infer("half_plus_two", "--input=x=" + big, "--protocol=v2-grpc")).isZero();
    Path json = Files.writeString(folder.resolve("x.json"), "[1, 3]");
    assertThat(infer("half_plus_two", "--input=x=@" + json, "--protocol=tfs")).isZero();
    stdin = "[1, 3]";
    assertThat(infer("half_plus_two", "--input=x:FP32=-", "--protocol=tfs")).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString().lines().map(line -> line.replaceFirst(".*\\[(.*?)].*", "$1")))
        .containsExactly("2.5,3.5", "2.5,3.5", "2.5,3.5", "2.5,3.5");
  }

  @Test
  void typeOfAnInputMustBeThatOfItsFile() throws IOException {
    Path array = npy("'<f4', 'fortran_order': False, 'shape': (2,), ", 1f, 3f);
    assertThat(infer("half_plus_two", "--input=x:FP32=" + array)).isZero();
    assertThat(infer("half_plus_two", "--input=x:INT32=" + array)).isEqualTo(2);
    assertThat(err.toString()).contains("its file has elements of FP32, not of INT32");
  }

  @Test
  void textsAreInputsToo() {
    assertThat(infer("language", "--protocol=v2-grpc", "--input", "text=Wo ist der Bahnhof?"))
        .isZero();
    assertThat(out.toString()).contains("\"data\":[\"German\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --input=x                        | --input is 'x'; wanted NAME=VALUES
          --input=x=[[1,2],[3]]            | --input x: its lists do not make a tensor
          --input=x=[1,[2]]                | --input x: has [2] where a number, text or boolean is wanted
          --input=x=[null]                 | --input x: has null where a number, text or boolean is wanted
          --input=x=-                      | --input x: has nothing where a number, text or boolean is wanted
          --input=x=missing.npy            | --input x: cannot read missing.npy
          missing.json                     | cannot read the request missing.json
          -                                | - is no JSON object
          --url=localhost --input=x=1      | --url is 'localhost'; wanted one such as http://localhost:8080
          --protocol=v3 --input=x=1        | --protocol is 'v3'; wanted one of v2, v2-grpc, v1, tfs, tfs-grpc, grps, grps-grpc
          --protocol=v1 --output=y --input=x=1 | --output cannot be said by the protocol v1
          --deadline=soon --input=x=1      | --deadline is 'soon'; wanted a length of time
          --header=x --input=x=1           | --header is 'x'; wanted 'NAME: VALUE'
          --protocol=v2-grpc --input=x:FP16=1 | elements of FP16 cannot be sent by this protocol
          --protocol=tfs-grpc --version=new --input=x=1 | --version is 'new'; wanted a whole number
          --version=1                      | wanted either a REQUEST or --input
          """)
  void mistakesOfTheCallerAreUsageErrors(String arguments, String complaint) {
    List<String> all = new ArrayList<>(List.of("half_plus_two"));
    all.addAll(Arrays.asList(arguments.split(" ", -1)));
    assertThat(infer(all.toArray(String[]::new))).isEqualTo(2);
    assertThat(err.toString()).contains(complaint).doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void noServerIsAFailureThatNamesItsAddress() {
    assertThat(execute("half_plus_two", "--input=x=1", "--url=http://localhost:1")).isOne();
    assertThat(err.toString()).startsWith("sluice: http://localhost:1: ");
  }

  @Test
  void headersCredentialsAndDeadlineAreSent() throws IOException {
    var seen = new AtomicReference<Headers>();
    HttpServer fake =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    fake.createContext(
        "/",
        exchange -> {
          seen.set(exchange.getRequestHeaders());
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("{}".getBytes(UTF_8));
          exchange.close();
        });
    fake.start();
    try {
      int code =
          execute(
              "m",
              "--input=x=1",
              "--header=X-Tenant: a: b",
              "--token=t0",
              "--api-key=k0",
              "--deadline=5s",
              "--url=http://localhost:" + fake.getAddress().getPort() + "/");
      assertThat(code).isZero();
    } finally {
      fake.stop(0);
    }
    assertThat(seen.get())
        .containsEntry("X-tenant", List.of("a: b"))
        .containsEntry("Authorization", List.of("Bearer t0"))
        .containsEntry("X-api-key", List.of("k0"))
        .containsEntry("Request-timeout", List.of("5000ms"))
        .containsEntry("Content-type", List.of("application/json"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "v2-grpc"})
  void serversCertificateIsCheckedAgainstTheAuthority(String protocol) throws Exception {
    SelfSigned identity = SelfSigned.create(folder, "server");
    ListenerConfig listener =
        ListenerConfig.DEFAULT
            .withPort(0)
            .withTls(
                Optional.of(
                    new TlsConfig(identity.certificate(), identity.key(), Optional.empty())));
    try (var secure =
        RunningServer.start(
            RunningServer.settings(
                listener,
                RepositoryConfig.of(new DesiredModels(SAMPLES, Map.of()), Duration.ZERO)))) {
      String[] question = {
        "half_plus_two",
        "--input=x=1",
        "--protocol=" + protocol,
        "--url=https://localhost:" + secure.port()
      };
      assertThat(execute(question)).isOne();
      assertThat(err.toString()).containsIgnoringCase("certif");
      String[] trusting = Arrays.copyOf(question, 5);
      trusting[4] = "--cacert=" + identity.certificate();
      assertThat(execute(trusting)).isZero();
      assertThat(out.toString()).contains("\"data\":[2.5]");
    }
  }

  private Path npy(String header, float... values) throws IOException {
    byte[] head = ("{'descr': " + header + "}\n").getBytes(UTF_8);
    ByteOrder order = header.contains(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    ByteBuffer data = ByteBuffer.allocate(values.length * Float.BYTES).order(order);
    for (float value : values) {
      data.putFloat(value);
    }
    var file = new ByteArrayOutputStream();
    file.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
    file.write(head.length);
    file.write(0);
    file.writeBytes(head);
    file.writeBytes(data.array());
    return Files.write(folder.resolve(order.toString() + ".npy"), file.toByteArray());
  }

  private int infer(String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--url=" + server.url();
    boolean named = Arrays.stream(arguments).anyMatch(argument -> argument.startsWith("--url="));
    return execute(named ? arguments : all);
  }

  private int execute(String... arguments) {
    return new CommandLine(new InferCommand(new ByteArrayInputStream(stdin.getBytes(UTF_8))))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setExecutionExceptionHandler((failure, command, _) -> {
          command.getErr().println("sluice: " + failure.getMessage());
          command.getErr().flush();
          return failure instanceof InferFailure ? 1 : 2;
        })
        .execute(arguments);
  }
}
