package dev.sluice.transport;

import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Says what a request's headers tell of a browser and its page. Browsers set them, and pages cannot
 * change them.
 *
 * @param values a header's first value by its name
 */
record BrowserHeaders(Function<CharSequence, @Nullable String> values) {
  private static final CharSequence SITE = HttpHeaders.createOptimized("sec-fetch-site");

  /** Only browsers send one of them; which of them, depends on their age. */
  private static final List<CharSequence> MARKS =
      List.of(
          SITE,
          HttpHeaders.createOptimized("sec-fetch-mode"),
          HttpHeaders.createOptimized("sec-fetch-dest"),
          HttpHeaders.ORIGIN,
          HttpHeaders.REFERER);

  private static final String SCHEME_END = "://";

  /** Returns whether a browser sends the request, as far as that can be seen. */
  boolean isBrowser() {
    for (CharSequence mark : MARKS) {
      if (values.apply(mark) != null) {
        return true;
      }
    }
    String agent = values.apply(HttpHeaders.USER_AGENT);
    return agent != null && agent.startsWith("Mozilla/");
  }

  /** Returns whether a browser says from which site the request comes. */
  boolean hasSite() {
    return values.apply(SITE) != null;
  }

  /**
   * Returns whether a browser's request is cross-site: a new browser says where a request comes
   * from. Of another, the origin must be what it asks, or else the page; it sends neither only with
   * what it takes for harmless.
   */
  boolean isForeign(@Nullable String authority) {
    String site = values.apply(SITE);
    if (site != null) {
      return !site.equals("same-origin") && !site.equals("none");
    }
    String page = page();
    if (page == null) {
      return false;
    }
    int host = page.indexOf(SCHEME_END) + SCHEME_END.length();
    return host < SCHEME_END.length() || !page.substring(host).equalsIgnoreCase(authority);
  }

  /** Returns the text of a refusal to a page of another origin. */
  String foreignText() {
    String page = page();
    return page == null
        ? "a page of another origin may not ask for this"
        : "a page of origin " + BrowserGuard.shown(page) + " may not ask for this";
  }

  /** Returns the page's origin; that of the page's address if it is not said. */
  private @Nullable String page() {
    String origin = values.apply(HttpHeaders.ORIGIN);
    String address = values.apply(HttpHeaders.REFERER);
    if (origin != null || address == null) {
      return origin;
    }
    int host = address.indexOf(SCHEME_END) + SCHEME_END.length();
    return host < SCHEME_END.length()
        ? address
        : address.substring(0, host) + BrowserGuard.authorityAt(address, host);
  }
}
