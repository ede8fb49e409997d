package dev.sluice.boot.infer;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.binding.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sluice infer}: sends one request to a running server, by any protocol, and prints the
 * response as JSON. Exit codes: 0 answered; 1 refused, or no answer; 2 wrong flags or files.
 */
@Command(
    name = "infer",
    description = "Sends one request to a running server and prints the response as JSON.")
public final class InferCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final InputStream stdin;

  @Parameters(index = "0", paramLabel = "MODEL", description = "The model's name.")
  private String model;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "REQUEST",
      description =
          "A file with the request as JSON, or - for standard input: as the protocol has it over"
              + " REST; for tfs-grpc and grps-grpc, the message in protobuf's JSON form.")
  private @Nullable String request;

  @Option(
      names = "--input",
      paramLabel = "NAME[:TYPE]=VALUES",
      description =
          "An input instead of a REQUEST; may be repeated. VALUES are numbers or texts with commas"
              + " between them, JSON, @FILE of JSON, FILE.npy, or - for JSON from standard input."
              + " TYPE is one of V2, such as INT64; without it numbers are FP32.")
  private List<String> inputs = new ArrayList<>();

  @Option(
      names = "--output",
      paramLabel = "NAME",
      description = "An output that is wanted; may be repeated. Default: all. Not for V1 and grps.")
  private List<String> outputs = new ArrayList<>();

  @Option(names = "--version", paramLabel = "VERSION", description = "Default: the server's.")
  private @Nullable String version;

  @Option(
      names = "--protocol",
      paramLabel = "PROTOCOL",
      description = "v2, v2-grpc, v1, tfs, tfs-grpc, grps or grps-grpc. Default: v2.")
  private String protocol = "v2";

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The server, http or https. Default: http://localhost:8080.")
  private String url = "http://localhost:8080";

  @Mixin private ServerOptions options;

  @Spec private CommandSpec spec;

  /**
   * @param stdin where {@code -} is read from
   */
  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  public InferCommand(InputStream stdin) {
    this.stdin = stdin;
  }

  @Override
  public Integer call() {
    WireProtocol wire = WireProtocol.of(protocol);
    WireProtocol.requireNumber(version);
    byte[] body = wire.body(request(wire), model, version);
    ServerCall server = options.server("--url", url);
    byte[] response = server.send(wire, wire.path(model, version), body);
    PrintWriter out = spec.commandLine().getOut();
    out.println(wire.shown(response));
    out.flush();
    return ExitCode.OK;
  }

  private ObjectNode request(WireProtocol wire) {
    if ((request == null) == inputs.isEmpty()) {
      throw new ConfigException("wanted either a REQUEST or --input");
    }
    if (request == null) {
      return wire.form(
          inputs.stream().map(input -> InputTensor.parse(input, stdin)).toList(), outputs);
    }
    try {
      byte[] text =
          request.equals("-") ? stdin.readAllBytes() : Files.readAllBytes(Path.of(request));
      if (JSON.readTree(text) instanceof ObjectNode object) {
        return object;
      }
      throw new ConfigException(request + " is no JSON object");
    } catch (IOException e) {
      throw new ConfigException("cannot read the request " + request + ": " + e);
    }
  }
}
