package dev.sluice.runtime.plugin;

import dev.sluice.extension.Converter;
import dev.sluice.extension.Extension;
import dev.sluice.extension.HttpHandler;
import dev.sluice.extension.Model;
import dev.sluice.extension.StreamingModel;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a plugin in one version.
 *
 * @param all each once
 */
record PluginObjects(
    @Nullable Model model,
    @Nullable StreamingModel streaming,
    @Nullable Converter converter,
    @Nullable HttpHandler handler,
    List<Extension> all) {
  /** Requires that there is something, and that it goes together. */
  void check(String where) {
    if (all.isEmpty()) {
      throw failed(
          where
              + ": no file in META-INF/services names a class; wanted one for"
              + " dev.sluice.extension.Model, StreamingModel, Converter or HttpHandler");
    }
    if (converter != null && (model != null || streaming != null)) {
      throw failed(
          where + ": there is a model and a converter; a converter goes with files of a model");
    }
  }

  private static InferenceException failed(String why) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, why);
  }
}
