package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Headers that become parameters of a request, so that its model sees them
 * (src/docs/reference/protocols/open-inference.md). Their names mean the same in any case, and are
 * in lower case here, as HTTP/2 sends them. Immutable; any thread.
 */
public final class ForwardedHeaders {
  /** None. */
  public static final ForwardedHeaders NONE =
      new ForwardedHeaders(Optional.empty(), Optional.empty());

  private static final Set<String> RESERVED =
      Set.of(
          "sequence_id",
          "sequence_start",
          "sequence_end",
          "priority",
          "timeout",
          "headers",
          "binary_data_output");

  private final Optional<Pattern> http;
  private final Optional<Pattern> grpc;

  /**
   * @param http a regular expression for whole names of HTTP headers, in any case
   * @param grpc the same for gRPC metadata
   */
  public ForwardedHeaders(Optional<String> http, Optional<String> grpc) {
    this.http = http.map(ForwardedHeaders::pattern);
    this.grpc = grpc.map(ForwardedHeaders::pattern);
  }

  private static Pattern pattern(String text) {
    return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
  }

  /**
   * Returns the forwarded headers of an HTTP request.
   *
   * @throws InferenceException with INVALID_ARGUMENT if one has a name that means something else
   */
  public Map<String, ParameterValue> ofHttp(Iterable<Map.Entry<String, String>> headers) {
    return matching(http, headers);
  }

  /** Returns the forwarded headers of a gRPC call, likewise. */
  public Map<String, ParameterValue> ofGrpc(Iterable<Map.Entry<String, String>> metadata) {
    return matching(grpc, metadata);
  }

  private static Map<String, ParameterValue> matching(
      Optional<Pattern> pattern, Iterable<Map.Entry<String, String>> headers) {
    if (pattern.isEmpty()) {
      return Map.of();
    }
    Map<String, ParameterValue> forwarded = new HashMap<>();
    for (Map.Entry<String, String> header : headers) {
      if (pattern.get().matcher(header.getKey()).matches()) {
        requireUnreserved(header.getKey());
        forwarded.merge(
            header.getKey().toLowerCase(Locale.ROOT),
            new ParameterValue.Text(header.getValue()),
            ForwardedHeaders::joined);
      }
    }
    return forwarded;
  }

  /** Joins the values of a header that is sent several times, as HTTP takes them. */
  private static ParameterValue joined(ParameterValue before, ParameterValue next) {
    return before instanceof ParameterValue.Text(String first)
            && next instanceof ParameterValue.Text(String second)
        ? new ParameterValue.Text(first + ", " + second)
        : next;
  }

  private static void requireUnreserved(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (RESERVED.contains(lower) || lower.startsWith("triton_")) {
      throw InferenceException.invalid(
          "Header '"
              + Excerpt.of(name)
              + "' is reserved for Triton usage and cannot be forwarded.");
    }
  }
}
