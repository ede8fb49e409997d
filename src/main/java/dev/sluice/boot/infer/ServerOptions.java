package dev.sluice.boot.infer;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.Units;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Flags of commands that call a server: credentials, certificates, how long to wait. */
final class ServerOptions {
  @Option(
      names = "--header",
      paramLabel = "NAME: VALUE",
      description = "A header, or metadata of gRPC; may be repeated.")
  private List<String> headers = new ArrayList<>();

  @Option(names = "--token", paramLabel = "TOKEN", description = "Sent as Authorization: Bearer.")
  private @Nullable String token;

  @Option(names = "--api-key", paramLabel = "KEY", description = "Sent as X-API-Key.")
  private @Nullable String apiKey;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      description = "The authority that the server's certificate is of, in PEM.")
  private @Nullable String authority;

  @Option(names = "--cert", paramLabel = "FILE", description = "An own certificate, in PEM.")
  private @Nullable String certificate;

  @Option(names = "--key", paramLabel = "FILE", description = "Its private key, in PEM.")
  private @Nullable String key;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      description = "How long to wait, which the server learns too. Default: 60s.")
  private String deadline = "60s";

  @SuppressWarnings("UnusedVariable") // picocli reads it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  ServerOptions() {}

  /**
   * Returns how a server is called.
   *
   * @param flag that names it
   * @throws ConfigException for a wrong flag
   */
  ServerCall server(String flag, String url) {
    if (!isUrl(url)) {
      throw new ConfigException(
          flag + " is '" + url + "'; wanted one such as http://localhost:8080");
    }
    return new ServerCall(
        url.replaceFirst("/$", ""),
        headers(),
        Units.durationOf("--deadline", deadline),
        new ServerCall.Tls(authority, certificate, key));
  }

  /** Returns whether a text is the address of a server. */
  static boolean isUrl(String text) {
    return text.matches("https?://[^/]+/?");
  }

  private MultiMap headers() {
    MultiMap all = MultiMap.caseInsensitiveMultiMap();
    for (String header : headers) {
      int colon = header.indexOf(':');
      if (colon <= 0) {
        throw new ConfigException("--header is '" + header + "'; wanted 'NAME: VALUE'");
      }
      all.add(header.substring(0, colon).strip(), header.substring(colon + 1).strip());
    }
    if (token != null) {
      all.set("Authorization", "Bearer " + token);
    }
    if (apiKey != null) {
      all.set("X-API-Key", apiKey);
    }
    return all;
  }
}
