package dev.sluice.protocol.kserve.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.v1.http.Envelope;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Recognises CloudEvents (specification 1.0, HTTP protocol binding) by a request's headers, as
 * KServe's runtimes do: binary if the four required attributes are headers, structured by the
 * content type.
 */
final class CloudEvents {
  /** The content type of a structured event. */
  static final String STRUCTURED = "application/cloudevents+json";

  private static final String BATCH = "application/cloudevents-batch";
  private static final CharSequence SPECVERSION = HttpHeaders.createOptimized("ce-specversion");
  private static final List<String> SPECVERSIONS = List.of("1.0", "0.3");

  private CloudEvents() {}

  /**
   * Returns the envelope of a call's document.
   *
   * @throws InferenceException with INVALID_ARGUMENT for batches of events, and for events of a
   *     specification that is not known
   */
  static Envelope envelope(HttpExchange exchange, String model, EventAttributes attributes) {
    if (isBinary(exchange)) {
      return new BinaryEvent(exchange, model, attributes);
    }
    @Nullable String type = exchange.header(HttpHeaders.CONTENT_TYPE);
    if (type == null || !type.regionMatches(true, 0, STRUCTURED, 0, "application/cloud".length())) {
      return BareDocument.INSTANCE;
    }
    String lower = type.toLowerCase(Locale.ROOT);
    if (lower.startsWith(BATCH)) {
      throw wrong("a batch of events cannot be answered; send them one by one");
    }
    return lower.startsWith(STRUCTURED)
        ? new StructuredEvent(model, attributes)
        : BareDocument.INSTANCE;
  }

  private static boolean isBinary(HttpExchange exchange) {
    return exchange.header(SPECVERSION) != null
        && exchange.header("ce-source") != null
        && exchange.header("ce-type") != null
        && exchange.header("ce-id") != null;
  }

  static void requireKnown(String specversion) {
    if (!SPECVERSIONS.contains(specversion)) {
      throw wrong("specversion is \"" + specversion + "\"; wanted 1.0");
    }
  }

  static InferenceException wrong(String what) {
    return InferenceException.invalid("Cloud Event Exceptions: " + what);
  }
}
