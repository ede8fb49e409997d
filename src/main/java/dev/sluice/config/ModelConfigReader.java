package dev.sluice.config;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.binding.SettingsTree;
import dev.sluice.config.binding.YamlFile;
import dev.sluice.config.compat.triton.TritonModelConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.StreamConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Reads a model's own settings: its {@code model.yml}, or without one its {@code config.pbtxt}, or
 * without either nothing. Blocks on the file system; any thread.
 */
public final class ModelConfigReader {
  private static final String OWN = "model.yml";

  private final Function<Path, ModelConfig> defaults;
  private final Consumer<String> warnings;

  /**
   * @param settings a server's settings, for what those of its models leave out
   * @param warnings receives what a {@code config.pbtxt} sets without effect
   */
  public ModelConfigReader(SluiceConfig settings, Consumer<String> warnings) {
    this.defaults =
        folder -> settings.protocols().grps().model(folder, settings.repository().defaults());
    this.warnings = warnings;
  }

  /**
   * @param modelFolder the folder that holds the model's versions
   * @throws dev.sluice.config.binding.ConfigException with a text for the person who wrote the
   *     settings
   */
  public ModelConfig read(Path modelFolder) {
    return read(modelFolder, defaults.apply(modelFolder));
  }

  /**
   * Reads settings that came by the network: a Triton configuration in protobuf's JSON form. It
   * stands in place of the model's own settings. One of a generator leaves the loop as these say:
   * Triton's form has no words for it. It names the text that tokens are made of, or, without one,
   * says that there are several answers.
   *
   * @param model its name
   * @param modelFolder where the files that it names must lie
   * @throws dev.sluice.config.binding.ConfigException naming the field that is wrong
   */
  public ModelConfig readJson(String model, String json, Path modelFolder) {
    ModelConfig read =
        new TritonModelConfig("config of model '" + model + "'", model, warnings)
            .readJson(json, defaults.apply(modelFolder))
            .in(modelFolder);
    boolean declares = read.declaresInputIn(_ -> true);
    return declares && Files.exists(modelFolder.resolve(OWN)) ? withLoop(read, modelFolder) : read;
  }

  private ModelConfig withLoop(ModelConfig read, Path modelFolder) {
    StreamConfig own = read(modelFolder).stream();
    boolean same =
        own.textInput()
            .map(name -> read.declaresInputIn(name::equals))
            .orElse(own.generator().isPresent() && read.stream().decoupled());
    return same ? read.withStream(own) : read;
  }

  private ModelConfig read(Path modelFolder, ModelConfig defaults) {
    Path own = modelFolder.resolve(OWN);
    if (Files.exists(own)) {
      return new SettingsTree(YamlFile.read(own), own.toString())
          .read(model -> requireRaggedAlone(model, ModelConfig.read(model, defaults)))
          .in(modelFolder);
    }
    Path triton = modelFolder.resolve("config.pbtxt");
    return Files.exists(triton)
        ? new TritonModelConfig(
                triton.toString(), String.valueOf(modelFolder.getFileName()), warnings)
            .read(SettingsFile.read(triton), defaults)
            .in(modelFolder)
        : ofFolder(modelFolder, defaults);
  }

  private static ModelConfig ofFolder(Path modelFolder, ModelConfig defaults) {
    return defaults.explain().baselineFile().isEmpty() ? defaults : defaults.in(modelFolder);
  }

  /** Rejects {@code ragged} where it does not go together with the other settings of a model. */
  private static ModelConfig requireRaggedAlone(Section settings, ModelConfig model) {
    if (model.ragged().isEmpty()) {
      return model;
    }
    if (model.batching().maxBatchSize() < 2) {
      throw settings.error(
          "ragged",
          "is set, and max_batch_size is %d; wanted at least 2"
              .formatted(model.batching().maxBatchSize()));
    }
    Optional<String> other =
        Stream.of(
                Map.entry("pad_variable_length_inputs", model.batching().padVariableLengthInputs()),
                Map.entry("sequence", model.sequence().isPresent()),
                Map.entry("ensemble", model.ensemble().isPresent()),
                Map.entry("stream", model.stream().generator().isPresent()),
                Map.entry("encoder", model.encoder().asksForTexts()))
            .filter(Map.Entry::getValue)
            .map(Map.Entry::getKey)
            .findFirst();
    if (other.isPresent()) {
      throw settings.error(
          "ragged", "is set, and so is %s; wanted one of them".formatted(other.get()));
    }
    return model;
  }
}
