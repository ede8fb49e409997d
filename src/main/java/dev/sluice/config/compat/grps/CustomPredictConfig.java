package dev.sluice.config.compat.grps;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.Optional;

/**
 * Another way to ask for predictions of grps over HTTP.
 *
 * @param path further path for predict requests, besides the usual one; empty: none
 * @param customizedBody whether the {@code HttpHandler} of the model's plugin reads predict
 *     requests and writes the responses, on both paths
 */
public record CustomPredictConfig(Optional<String> path, boolean customizedBody) {
  public static final CustomPredictConfig DEFAULT =
      new CustomPredictConfig(Optional.empty(), false);

  private static final String PATH = "(/[A-Za-z0-9_\\-]+)+/?";

  /**
   * @param usual for what the section leaves out
   */
  static CustomPredictConfig read(Section custom, CustomPredictConfig usual) {
    return new CustomPredictConfig(
        custom
            .single("path")
            .filter(path -> !path.text().isEmpty())
            .map(CustomPredictConfig::path)
            .or(usual::path),
        custom.flag("customized_body", usual.customizedBody));
  }

  private static String path(Setting setting) {
    if (!setting.text().matches(PATH)) {
      throw setting.wanted("a path of letters, digits, _ and -, such as /v1/chat");
    }
    return setting.text();
  }
}
