package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.ModelLoad;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a load request, whatever carried them.
 *
 * <p>Triton's parameters of a load: {@code config}, and files as {@code file:VERSION/NAME}.
 */
public final class LoadParameters {
  /** Parameters that an unload request may have. */
  public static final String DEPENDENTS = "unload_dependents";

  /** The answer to a path or message that names a repository. */
  public static final String NO_REPOSITORY_NAME =
      "'repository_name' specification is not supported";

  private static final String CONFIG = "config";
  private static final String FILE = "file:";

  private final Map<String, byte[]> files = new HashMap<>();
  private @Nullable String config;

  /** The kind of a parameter. */
  public enum Kind {
    CONFIG,
    FILE
  }

  /**
   * Returns the kind of the parameter of this name.
   *
   * @throws InferenceException with INVALID_ARGUMENT if there is none of this name
   */
  public static Kind kind(String name) {
    if (name.equals(CONFIG)) {
      return Kind.CONFIG;
    }
    if (name.startsWith(FILE)) {
      return Kind.FILE;
    }
    throw unknown("load", name);
  }

  /** Returns the error for an unknown parameter. */
  public static InferenceException unknown(String operation, String name) {
    return InferenceException.invalid(
        "unrecognized " + operation + " parameter '" + Excerpt.of(name) + "'.");
  }

  /** Takes the model's settings. */
  public void setConfig(String json) {
    config = json;
  }

  /**
   * Takes the content of a file.
   *
   * @param name of the parameter
   */
  public void addFile(String name, byte[] content) {
    files.put(name.substring(FILE.length()), content);
  }

  /** Returns the load that they ask for. */
  public ModelLoad of(String model) {
    return new ModelLoad(model, Optional.ofNullable(config), files);
  }
}
