package dev.sluice.boot;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.compat.tfs.TensorflowModel;
import dev.sluice.config.compat.tfs.TensorflowModelFile;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.DesiredModel;
import dev.sluice.inference.control.VersionChoice;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.serving.control.DesiredModelSet;
import dev.sluice.serving.control.ModelControl;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models that a TensorFlow Serving model config file lists. One thread at a time.
 *
 * <p>The file is polled: a change is applied as one step by the control plane. A file that is
 * damaged changes nothing; its fault is logged once, not at every poll.
 */
final class TensorflowModels {
  private static final Logger LOG = LoggerFactory.getLogger(TensorflowModels.class);

  private final Path file;
  private final RequestLogs logs;

  /** The models that were applied, or are about to be; null if the last file was rejected. */
  private volatile @Nullable String applied;

  /** The last complaint, so that it is not repeated at each look. */
  private volatile String complaint = "";

  /**
   * @param logs are replaced by what the file says
   */
  TensorflowModels(Path file, RequestLogs logs) {
    this.file = file;
    this.logs = logs;
  }

  /**
   * Reads the file for the first time. One that says nothing is no models.
   *
   * @throws ConfigException if it is not in the format, or asks for what cannot be
   */
  DesiredModels first() {
    String text = TensorflowModelFile.text(file);
    List<TensorflowModel> models = read(text).orElse(List.of());
    applied = text;
    try {
      DesiredModels wanted = DesiredModels.only(DesiredModelSet.of(wanted(models), Set.of()));
      logs.require(logged(models), false);
      logs.update(logged(models));
      return wanted;
    } catch (InferenceException e) {
      throw new ConfigException(file + ": " + e.getMessage());
    }
  }

  /**
   * Reads the file again, and applies what has changed. What is wrong with it is logged once, and
   * changes nothing. Blocks on the file system.
   */
  void look(ModelControl control) {
    try {
      String text = TensorflowModelFile.text(file);
      if (!text.equals(applied)) {
        apply(text, control);
      }
    } catch (ConfigException e) {
      complain(e);
    }
  }

  private void apply(String text, ModelControl control) {
    List<TensorflowModel> models =
        read(text)
            .orElseThrow(() ->
                new ConfigException(
                    "Cannot transition to requested config. It is only legal to transition from"
                        + " one ModelConfigList to another."));
    applied = text;
    try {
      logs.require(logged(models), false);
    } catch (InferenceException e) {
      complain(e);
      return;
    }
    control
        .serveListed(wanted(models))
        .onSuccess(_ -> applied(models))
        .onFailure(e -> {
          applied = null;
          complain(e);
        });
  }

  private void applied(List<TensorflowModel> models) {
    logs.update(logged(models));
    complaint = "";
    LOG.atInfo().addKeyValue("file", file).log("the model config is applied");
  }

  private void complain(Throwable why) {
    String text = String.valueOf(why.getMessage());
    if (!text.equals(complaint)) {
      complaint = text;
      LOG.atError().addKeyValue("file", file).log("the model config is not applied: " + text);
    }
  }

  private Optional<List<TensorflowModel>> read(String text) {
    return TensorflowModelFile.read(file.toString(), text, this::warn);
  }

  private static List<DesiredModel> wanted(List<TensorflowModel> models) {
    return models.stream().map(TensorflowModels::wanted).toList();
  }

  private static Map<String, RequestLogs.Wanted> logged(List<TensorflowModel> models) {
    Map<String, RequestLogs.Wanted> logged = new HashMap<>();
    for (TensorflowModel model : models) {
      model
          .logging()
          .ifPresent(logging ->
              logged.put(
                  model.name(),
                  new RequestLogs.Wanted(
                      logging.type(), logging.filenamePrefix(), logging.samplingRate())));
    }
    return logged;
  }

  private void warn(String text) {
    LOG.warn(text);
  }

  private static DesiredModel wanted(TensorflowModel model) {
    return new DesiredModel(
        model.name(),
        model.basePath(),
        model.platform(),
        model.modelType(),
        model.versionPolicy().map(TensorflowModels::choice),
        model.labels());
  }

  private static VersionChoice choice(VersionPolicyConfig policy) {
    return switch (policy) {
      case VersionPolicyConfig.Latest(int count) -> new VersionChoice.Latest(count);
      case VersionPolicyConfig.All() -> new VersionChoice.All();
      case VersionPolicyConfig.Specific(var versions) -> new VersionChoice.Specific(versions);
    };
  }
}
