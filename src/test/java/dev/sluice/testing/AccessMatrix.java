package dev.sluice.testing;

import dev.sluice.inference.access.Operation;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Asks for every operation by every protocol that a wire has, and collects wrong answers. */
public final class AccessMatrix {
  private static final int BRPC_DENIED = 1004;

  /** What becomes of a request. */
  public enum Verdict {
    /** Its credential is not valid. */
    UNAUTHENTICATED,
    DENIED,
    ALLOWED
  }

  private final AccessWire wire;
  private final Function<Operation, Verdict> expected;
  private final List<String> wrong = new ArrayList<>();

  private AccessMatrix(AccessWire wire, Function<Operation, Verdict> expected) {
    this.wire = wire;
    this.expected = expected;
  }

  /** Returns the requests that were answered otherwise than expected, with their answers. */
  public static List<String> wrong(AccessWire wire, Function<Operation, Verdict> expected)
      throws Exception {
    var matrix = new AccessMatrix(wire, expected);
    for (AccessRow row : AccessRow.ALL) {
      matrix.http(row);
    }
    for (var method : AccessRow.GRPC.entrySet()) {
      matrix.grpc(method.getKey(), method.getValue());
    }
    if (wire.hasBrpc()) {
      for (var method : AccessRow.BRPC.entrySet()) {
        matrix.brpc(method.getKey(), method.getValue());
      }
    }
    return matrix.wrong;
  }

  private void http(AccessRow row) throws Exception {
    String answer = wire.ask(row);
    Verdict got =
        switch (answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length())) {
          case "401" -> Verdict.UNAUTHENTICATED;
          case "403" -> Verdict.DENIED;
          default -> Verdict.ALLOWED;
        };
    if (got != expected.apply(row.operation())
        || answer.contains("internal error")
        || (got == Verdict.ALLOWED && answer.startsWith("HTTP/1.1 405 "))) {
      wrong.add(row + ": " + answer);
    }
  }

  private void grpc(String method, Operation operation) throws Exception {
    Status status = wire.grpc(method);
    Status.Code web = wire.grpcWeb(method);
    if (verdict(status.getCode()) != expected.apply(operation)
        || String.valueOf(status.getDescription()).startsWith("unknown method")) {
      wrong.add("gRPC " + method + ": " + status);
    }
    if (verdict(web) != expected.apply(operation)) {
      wrong.add("gRPC-Web " + method + ": " + web);
    }
  }

  private static Verdict verdict(Status.Code code) {
    return switch (code) {
      case UNAUTHENTICATED -> Verdict.UNAUTHENTICATED;
      case PERMISSION_DENIED -> Verdict.DENIED;
      default -> Verdict.ALLOWED;
    };
  }

  /** The protocol has one code for both kinds of refusal. */
  private void brpc(String method, Operation operation) throws Exception {
    BrpcClient.Answer answer = wire.brpc(method);
    boolean allowed = expected.apply(operation) == Verdict.ALLOWED;
    if ((answer.errorCode() != BRPC_DENIED) != allowed) {
      wrong.add("brpc " + method + ": " + answer);
    }
  }
}
