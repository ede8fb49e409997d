package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.testing.SmolLm2;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** Streams of a real language model, SmolLM2-135M, which is fetched from PyPI. */
final class SmolLm2Streams {
  private static final String IN_PLACE = SmolLm2.NAMES.getFirst();
  private static final String PADDED = SmolLm2.NAMES.getLast();
  private static final Map<String, String> SETTINGS =
      Map.of(IN_PLACE, DecoderModel.CHAT_SETTINGS, PADDED, DecoderModel.SETTINGS);

  private SmolLm2Streams() {}

  /** Returns the rows of its two forms. */
  static List<Workload> all() {
    return List.of(
        new StreamsOfLengths(
            "streams-smollm2",
            lab -> written(lab, IN_PLACE),
            IN_PLACE,
            "SmolLM2-135M, caches written in place"),
        new StreamsOfLengths(
            "streams-smollm2-padded",
            lab -> written(lab, PADDED),
            PADDED,
            "SmolLM2-135M that is padded"));
  }

  /** Writes a folder with one of them, to be asked by tokens. */
  private static Path written(Lab lab, String name) {
    Path models = lab.folder().resolve("of-" + name);
    try {
      Path version = Files.createDirectories(Models.version(models, name));
      Files.copy(
          SmolLm2.models().resolve(name).resolve("onnx/model.onnx"),
          version.resolve("model.onnx"),
          StandardCopyOption.REPLACE_EXISTING);
      Files.writeString(version.resolveSibling("model.yml"), SETTINGS.get(name), UTF_8);
      return models;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
