package dev.sluice.serving.control;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.security.RemotePath;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.DesiredModel;
import dev.sluice.inference.control.VersionChoice;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A set of wanted models, checked in TensorFlow Serving's order and words.
 *
 * <p>A wrong set is rejected as a whole, before anything changes: INVALID_ARGUMENT with TensorFlow
 * Serving's text.
 */
public final class DesiredModelSet {
  private static final String TENSORFLOW = "tensorflow";
  private static final String FILE = "file://";

  private DesiredModelSet() {}

  /**
   * Returns the models as the repository lists them.
   *
   * @param served names of the models there are now; all of them are on the platform {@code
   *     tensorflow}
   * @throws InferenceException with INVALID_ARGUMENT, naming the model and the fault
   */
  public static Map<String, ListedModel> of(List<DesiredModel> wanted, Set<String> served) {
    Map<String, ListedModel> listed = new LinkedHashMap<>();
    for (DesiredModel model : wanted) {
      if (listed.put(model.name(), listed(model)) != null) {
        throw InferenceException.invalid(
            "Illegal to list model " + model.name() + " multiple times in config list");
      }
    }
    wanted.forEach(model -> checkPlatform(model, served.contains(model.name())));
    return listed;
  }

  private static ListedModel listed(DesiredModel model) {
    if (model.name().isEmpty()) {
      throw InferenceException.invalid("A model in the config list has no name");
    }
    return new ListedModel(
        folder(model), model.versions().map(DesiredModelSet::policy), model.labels());
  }

  private static Path folder(DesiredModel model) {
    String text = model.basePath();
    String path = text.startsWith(FILE) ? text.substring(FILE.length()) : text;
    if (RemotePath.is(path)) {
      throw InferenceException.invalid(
          "Model %s: base_path()=%s is on another system, which is not read here; wanted %s"
              .formatted(model.name(), text, RemotePath.WANTED));
    }
    if (!path.startsWith("/")) {
      throw InferenceException.invalid(
          "Expected model %s to have an absolute path or URI; got base_path()=%s"
              .formatted(model.name(), text));
    }
    try {
      return Path.of(path);
    } catch (InvalidPathException e) {
      throw InferenceException.invalid(
          "Model %s: base_path()=%s is no path: %s"
              .formatted(model.name(), text.replace('\0', ' '), e.getReason()));
    }
  }

  private static VersionPolicyConfig policy(VersionChoice versions) {
    return switch (versions) {
      case VersionChoice.Latest(int count) -> new VersionPolicyConfig.Latest(Math.max(1, count));
      case VersionChoice.All() -> new VersionPolicyConfig.All();
      case VersionChoice.Specific(var numbers) -> new VersionPolicyConfig.Specific(numbers);
    };
  }

  private static void checkPlatform(DesiredModel model, boolean served) {
    if (model.platform().isEmpty() == model.modelType().isEmpty()) {
      throw InferenceException.invalid(
          ("Illegal setting %s ModelServerConfig::model_type (deprecated) %s"
                  + " ModelServerConfig::model_platform, model name is %s")
              .formatted(
                  model.platform().isEmpty() ? "neither" : "both",
                  model.platform().isEmpty() ? "nor" : "and",
                  model.name()));
    }
    String platform =
        model.modelType().equals("TENSORFLOW") ? TENSORFLOW : model.platform() + model.modelType();
    if (!platform.equals(TENSORFLOW)) {
      throw InferenceException.invalid(
          served
              ? ("Illegal to change a model's platform. For model %s platform was %s and new"
                      + " platform requested is %s")
                  .formatted(model.name(), TENSORFLOW, platform)
              : "Model %s requests unsupported platform %s".formatted(model.name(), platform));
    }
  }
}
