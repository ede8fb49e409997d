package dev.sluice.repository.scan;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One version as it lies on disk.
 *
 * @param folder holds its files; the model's own folder if they lie directly in it
 * @param whole whether there is a model in it, as far as names tell
 * @param files all files of this version
 */
public record ScannedVersion(long version, Path folder, boolean whole, Fingerprint files) {
  /** Names that a text shows of what lies in a folder. */
  private static final int SHOWN = 5;

  private static final String LITE = ".tflite";

  /** Returns what is wrong with a folder that holds no model. */
  public String missing(String model) {
    List<String> names = files.files().stream().map(FileStamp::name).toList();
    String got = names.isEmpty() ? "no file" : shown(names);
    String lite =
        names.stream().anyMatch(name -> name.endsWith(LITE))
            ? "; TensorFlow Lite files are not served, the SavedModel they were made of is"
            : "";
    return "model %s/%d: %s holds no model; wanted one of %s, got %s%s"
        .formatted(model, version, folder, ModelFolder.WANTED, got, lite);
  }

  private static String shown(List<String> names) {
    String first = names.stream().limit(SHOWN).collect(Collectors.joining(", "));
    int more = names.size() - SHOWN;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
