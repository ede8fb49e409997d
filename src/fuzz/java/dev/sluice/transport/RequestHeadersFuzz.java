package dev.sluice.transport;

import dev.sluice.config.server.ListenerConfig;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.http.PercentCoding;
import dev.sluice.transport.http.QualityValues;
import dev.sluice.transport.http.ResponseCoding;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Headers of requests, {@code name: value} in each line: timeouts, ids, what browsers say, hosts,
 * Accept-Encoding. The first line is the method and the target.
 */
final class RequestHeadersFuzz implements FuzzTarget {
  private static final int LONGEST_ID = 128;

  private final BrowserGuard guard = BrowserGuard.of(ListenerConfig.DEFAULT, true);
  private final AllowedHosts hosts = AllowedHosts.of(ListenerConfig.DEFAULT, false);
  private final RequestIds ids = new RequestIds();

  @Override
  public void accept(byte[] input) {
    String[] lines = new InputBytes(input).text().split("\n", -1);
    Map<String, String> headers = headers(lines);
    Deadline deadline =
        Rejection.request(() -> TimeoutHeaders.read(name -> headers.get(name.toString()), 0));
    if (deadline != null && deadline.hasPassed(-1)) {
      throw new AssertionError(deadline + " is before now");
    }
    String[] request = lines[0].split(" ", 2);
    String target = request[request.length - 1];
    readTarget(target);
    checkBrowser(request[0], headers);
    String accept = headers.get("accept-encoding");
    ResponseCoding.of(accept);
    QualityValues.of(accept).members().forEach(member -> requireQuality(member.quality()));
    if (ids.of(headers.get("x-request-id")).length() > LONGEST_ID) {
      throw new AssertionError("a long id");
    }
  }

  private static Map<String, String> headers(String... lines) {
    Map<String, String> headers = new HashMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] parts = lines[i].split(": ", 2);
      if (parts.length == 2) {
        headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
      }
    }
    return headers;
  }

  private static void readTarget(String target) {
    int scheme = target.indexOf("://");
    if (scheme >= 0) {
      BrowserGuard.authorityAt(target, scheme + 3);
    }
    String decoded = Rejection.request(() -> PercentCoding.decode(target));
    if (decoded != null && decoded.length() > target.length()) {
      throw new AssertionError(target + " became longer");
    }
  }

  private void checkBrowser(String method, Map<String, String> headers) {
    String host = headers.get("host");
    InferenceException refused =
        guard.controlRefusal(method, host, name -> headers.get(name.toString()));
    if (refused != null) {
      Rejection.requireCallers(refused);
    }
    guard.refusal(host);
    guard.preflightRefusal(method, name -> headers.get(name.toString()));
    BrowserGuard.severalRefusal(name ->
        headers.containsKey(name.toString())
            ? List.of(headers.getOrDefault(name.toString(), ""), "b")
            : List.of());
    if (host != null && hosts.contains(host) && host.contains("evil.example")) {
      throw new AssertionError(host + " is allowed");
    }
  }

  /** RFC 9110, section 12.4.2. */
  private static void requireQuality(double quality) {
    if (!(quality >= 0 && quality <= 1)) {
      throw new AssertionError("a quality of " + quality);
    }
  }
}
