package dev.sluice.boot.cli;

import dev.sluice.config.binding.SettingOverride;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The flag that changes any one setting. */
final class SetOption {
  @Option(
      names = "--set",
      paramLabel = "KEY.PATH=VALUE",
      description =
          "Any other setting, such as limits.max_body_size=8MiB; may be repeated. In the"
              + " environment the same setting is SLUICE_LIMITS_MAX_BODY_SIZE.")
  private List<String> set = new ArrayList<>();

  /** Returns the given overrides, in their order. */
  List<SettingOverride> overrides() {
    return set.stream().map(assignment -> SettingOverride.parse(assignment, "--set")).toList();
  }
}
