package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import dev.sluice.transport.http.PercentCoding;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads V1 paths as TensorFlow Serving does: matched as they were sent, without regard to case,
 * names and labels percent-decoded afterwards. {@code /v1/models/metadata} is a model of that name.
 */
final class V1Grammar {
  private static final String MODEL =
      "(?i)/v1/models(?:/(?<name>[^/:]+))?(?:/versions/(?<version>[0-9]+)|/labels/(?<label>[^/:]+))?";

  private static final String UNREADABLE_NAME = "Failed to decode model name:";

  private static final Pattern PATH =
      Pattern.compile(MODEL + "(?:/(?<metadata>metadata)|:(?<verb>[^/:]+))?");

  /** A name with colons in it: what is behind the last one is the verb. */
  private static final Pattern COLONS =
      Pattern.compile("(?i)/v1/models/(?<name>[^/]+):(?<verb>(?-i:predict|explain))");

  private V1Grammar() {}

  /**
   * Returns the request of a path; empty if it is none of this protocol.
   *
   * @throws InferenceException with INVALID_ARGUMENT if a name, label or version cannot be read
   */
  static Optional<V1Request> read(String path) {
    Matcher matcher = PATH.matcher(path);
    if (!matcher.matches()) {
      return withColons(path);
    }
    @Nullable String verb = matcher.group("verb");
    if (matcher.group("name") == null) {
      return verb == null ? Optional.of(nameless(matcher)) : Optional.empty();
    }
    if (verb != null) {
      return verb(verb).map(known -> new V1Request.Call(selector(matcher), known));
    }
    // Only the lower-case word asks for metadata: an accident that clients may have grown around.
    return Optional.of(
        "metadata".equals(matcher.group("metadata"))
            ? new V1Request.Metadata(selector(matcher))
            : new V1Request.Status(selector(matcher)));
  }

  private static Optional<V1Request> withColons(String path) {
    Matcher matcher = COLONS.matcher(path);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    var model = new ModelSelector.Latest(decode(matcher.group("name"), UNREADABLE_NAME));
    return verb(matcher.group("verb")).map(verb -> new V1Request.Call(model, verb));
  }

  private static V1Request nameless(Matcher matcher) {
    boolean all = matcher.group("version") == null && matcher.group("label") == null;
    return all ? new V1Request.Index() : new V1Request.Nameless();
  }

  private static Optional<Verb> verb(String text) {
    return switch (text) {
      case "predict" -> Optional.of(Verb.PREDICT);
      case "explain" -> Optional.of(Verb.EXPLAIN);
      case "classify" -> Optional.of(Verb.CLASSIFY);
      case "regress" -> Optional.of(Verb.REGRESS);
      default -> Optional.empty();
    };
  }

  private static ModelSelector selector(Matcher matcher) {
    String name = decode(matcher.group("name"), UNREADABLE_NAME);
    @Nullable String version = matcher.group("version");
    if (version != null) {
      return new ModelSelector.Version(name, number(version));
    }
    @Nullable String label = matcher.group("label");
    return label == null
        ? new ModelSelector.Latest(name)
        : new ModelSelector.Label(name, decode(label, "Failed to decode model version label:"));
  }

  private static String decode(String text, String complaint) {
    try {
      return PercentCoding.decode(text);
    } catch (InferenceException e) {
      throw new InferenceException(e.code(), complaint + text, e);
    }
  }

  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw InferenceException.invalid("Failed to convert version: " + digits + " to numeric.");
    }
  }
}
