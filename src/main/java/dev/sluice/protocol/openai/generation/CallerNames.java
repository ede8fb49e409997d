package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import io.vertx.core.Future;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a caller calls the inputs and parameters of the model, so that an error names what was sent.
 *
 * @param names by those of the model; what is not there has the same name
 */
public record CallerNames(Map<String, String> names) {
  private static final Pattern NAMED = Pattern.compile("(?:input|parameter) \"([a-z_]{1,64})\"");

  /** Copies the map. */
  public CallerNames {
    names = Map.copyOf(names);
  }

  /**
   * Returns the failure in the caller's words; the same one if it names nothing of the caller's.
   */
  public InferenceException of(InferenceException failure) {
    Matcher named = NAMED.matcher(failure.getMessage());
    if (failure.code().fault() == ErrorCode.Fault.SERVER || !named.lookingAt()) {
      return failure;
    }
    String name = names.get(named.group(1));
    return name == null
        ? failure
        : failure.withText(
            "parameter \"" + name + "\"" + failure.getMessage().substring(named.end()));
  }

  /** Returns what failed, in the caller's words. */
  public <T> Future<T> failed(Throwable failure) {
    return Future.failedFuture(failure instanceof InferenceException known ? of(known) : failure);
  }
}
