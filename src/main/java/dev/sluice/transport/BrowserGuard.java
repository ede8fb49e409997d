package dev.sluice.transport;

import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps pages of foreign origins out, which a browser on this machine or in this network runs: they
 * may not read through DNS rebinding, or change the server's state. Judges by headers that pages
 * cannot set. Inference is answered for any page, as the servers that spoke these protocols do;
 * what a page may read of the answer is the setting {@code cors}. Immutable; any thread.
 */
public final class BrowserGuard {
  /** For tests of what lies behind it: answers everything. */
  public static final BrowserGuard OPEN =
      new BrowserGuard(
          AllowedHosts.of(ListenerConfig.DEFAULT.withAllowedHosts(ListenerConfig.EVERY_HOST), true),
          false,
          "test");

  /** Headers by which requests for control are judged, of which there is one each. */
  private static final List<CharSequence> SINGLE =
      List.of(
          HttpHeaders.CONTENT_TYPE,
          HttpHeaders.ORIGIN,
          HttpHeaders.REFERER,
          HttpHeaders.createOptimized("sec-fetch-site"));

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  /** Content types that a page may send without a CORS preflight, besides none. */
  private static final Set<String> FORMS = Set.of("text/plain", "multipart/form-data");

  /** The type that curl and libcurl give every body, and browsers a form. */
  private static final String CURL_FORM = "application/x-www-form-urlencoded";

  /** JSON, none, and what clients send for a body whose type they do not know. */
  private static final Set<String> TAKEN =
      Set.of("", "application/json", "application/octet-stream", CURL_FORM);

  /** Calls of gRPC, whose content types their handler checks. */
  private static final String GRPC = "application/grpc";

  /** A text as long as this is repeated in an error. */
  private static final int SHOWN = 100;

  private static final String SCHEME_END = "://";

  private final AllowedHosts hosts;
  private final boolean checked;
  private final String listener;

  private BrowserGuard(AllowedHosts hosts, boolean checked, String listener) {
    this.hosts = hosts;
    this.checked = checked;
    this.listener = listener;
  }

  /**
   * Returns the guard of a listener. Host names are checked on loopback, and wherever the settings
   * name some; not on a Unix domain socket, which no browser reaches.
   *
   * @param local whether only this machine reaches it
   */
  public static BrowserGuard of(ListenerConfig config, boolean local) {
    boolean checked =
        config.socket().isEmpty()
            && !config.allowedHosts().contains(ListenerConfig.ANY_HOST)
            && (local || !config.allowedHosts().isEmpty());
    return new BrowserGuard(AllowedHosts.of(config, local), checked, config.address());
  }

  /** A request that is not answered. */
  public record Refusal(int status, String text) {
    public Refusal {
      text = BoundedText.ofError(text);
    }
  }

  /** Returns why a request is not answered at all; null if it may be. */
  public @Nullable Refusal refusal(HttpServerRequest request) {
    if (request.headers().getAll(HttpHeaders.HOST).size() > 1) {
      return new Refusal(400, "the request has several Host headers; wanted one");
    }
    if (!checked) {
      return null;
    }
    String authority = authority(request);
    return authority == null && request.version() != HttpVersion.HTTP_2
        ? withoutHost(request.version())
        : refusal(authority);
  }

  /** RFC 9112, section 3.2. Every browser says a host, so one that says none is no page's. */
  private static @Nullable Refusal withoutHost(HttpVersion version) {
    return version == HttpVersion.HTTP_1_0
        ? null
        : new Refusal(400, "the request has no Host header; wanted one, since it is of HTTP/1.1");
  }

  /**
   * Returns why a request is not answered at all; null if it may be.
   *
   * @param authority how it addresses the server
   */
  public @Nullable Refusal refusal(@Nullable String authority) {
    if (!checked) {
      return null;
    }
    if (!hosts.contains(authority)) {
      return new Refusal(
          421,
          "the request is for host %s, which listener %s does not answer (setting allowed_hosts)"
              .formatted(authority == null ? "(none)" : shown(authority), listener));
    }
    return null;
  }

  /** Returns how a request addresses the server. */
  public static @Nullable String authority(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      String target = request.uri();
      int scheme = target.indexOf(SCHEME_END);
      // RFC 9112, section 3.2.2: a target in absolute form counts, and not the header Host.
      return target.startsWith("/") || scheme < 0
          ? request.getHeader(HttpHeaders.HOST)
          : authorityAt(target, scheme + SCHEME_END.length());
    }
    HostAndPort authority = request.authority();
    if (authority == null) {
      return request.getHeader(HttpHeaders.HOST);
    }
    return authority.port() < 0 ? authority.host() : authority.host() + ":" + authority.port();
  }

  /** Returns the authority of a URL that begins at a place. */
  static String authorityAt(String target, int from) {
    int end = from;
    while (end < target.length() && "/?#".indexOf(target.charAt(end)) < 0) {
      end++;
    }
    return target.substring(from, end);
  }

  /**
   * Returns why a request may not change the server's state, by any caller; null if it may.
   * Browsers that are too old for {@code Sec-Fetch-Site}, or that are not asked by a name they
   * trust, say nothing about where a GET comes from: they may not use it for that.
   */
  public @Nullable InferenceException controlRefusal(
      String method, @Nullable String authority, Function<CharSequence, @Nullable String> headers) {
    var page = new BrowserHeaders(headers);
    if (page.isForeign(authority)) {
      return denied(page.foreignText());
    }
    boolean browser = page.isBrowser();
    if (browser && !hosts.contains(authority)) {
      return denied(
          "a browser addresses the server as %s, which is not a known name (setting allowed_hosts)"
              .formatted(authority == null ? "(none)" : shown(authority)));
    }
    if (browser && SAFE.contains(method) && !page.hasSite()) {
      return denied("a browser does not say from which page it asks; wanted POST");
    }
    return typeRefusal(typeOf(headers.apply(HttpHeaders.CONTENT_TYPE)), browser);
  }

  private static @Nullable InferenceException typeRefusal(String type, boolean browser) {
    boolean form = FORMS.contains(type) || (browser && type.equals(CURL_FORM));
    if (!form && (TAKEN.contains(type) || type.startsWith(GRPC))) {
      return null;
    }
    return new InferenceException(
        form ? ErrorCode.PERMISSION_DENIED : ErrorCode.INVALID_ARGUMENT,
        "a body of type " + shown(type) + " changes nothing; wanted application/json");
  }

  /** Returns why an HTTP request may not change the server's state, by any caller; or null. */
  public @Nullable InferenceException controlRefusal(HttpServerRequest request) {
    Refusal several = severalRefusal(request.headers()::getAll);
    return several != null
        ? InferenceException.invalid(several.text())
        : controlRefusal(request.method().name(), authority(request), request::getHeader);
  }

  /**
   * Returns why headers are not judged, of which a browser, a proxy and the server could each
   * believe another; null if they are clear.
   *
   * @param values all values of a header
   */
  public static @Nullable Refusal severalRefusal(
      Function<CharSequence, ? extends List<? extends CharSequence>> values) {
    for (CharSequence name : SINGLE) {
      List<? extends CharSequence> found = values.apply(name);
      for (CharSequence value : found) {
        if (CharSequence.compare(found.getFirst(), value) != 0) {
          return new Refusal(
              400, "the request has several headers " + name + " that differ; wanted one");
        }
      }
    }
    return null;
  }

  /**
   * Returns why a browser gets no permission for a page of another origin to ask for control; null
   * if the request is none for that.
   *
   * @param method of the request
   */
  public @Nullable Refusal preflightRefusal(
      String method, Function<CharSequence, @Nullable String> headers) {
    return method.equals("OPTIONS") && headers.apply(HttpHeaders.ORIGIN) != null
        ? new Refusal(403, new BrowserHeaders(headers).foreignText())
        : null;
  }

  private static InferenceException denied(String text) {
    return new InferenceException(ErrorCode.PERMISSION_DENIED, text);
  }

  private static String typeOf(@Nullable String value) {
    if (value == null) {
      return "";
    }
    int end = value.indexOf(';');
    return (end < 0 ? value : value.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
