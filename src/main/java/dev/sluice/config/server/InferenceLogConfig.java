package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The inference log: records of requests and responses with their tensors, sampled.
 *
 * @param file file that records are appended to as lines of JSON; empty: none
 * @param url address that records are sent to as CloudEvents, in KServe's form; empty: none
 * @param sampleRatio share of the requests that is recorded
 * @param maxTensorSize size of a tensor whose values are recorded; of larger ones name, type and
 *     shape are
 * @param maxRecordSize size of all tensors of a record, beyond which values are left out
 * @param maxFileSize size at which the file gets the number 1 behind its name, and a new one
 *     begins; 0: never
 * @param maxFiles files that are kept, the one that is written among them
 * @param redact inputs and outputs whose values are never recorded: a tensor's name, for all
 *     models, or {@code MODEL/TENSOR}
 */
public record InferenceLogConfig(
    Optional<Path> file,
    Optional<URI> url,
    double sampleRatio,
    long maxTensorSize,
    long maxRecordSize,
    long maxFileSize,
    int maxFiles,
    Set<String> redact) {
  private static final long LARGEST_FILE = 1L << 40;
  private static final long LARGEST_RECORD = 16L << 20;
  private static final int MOST_FILES = 1_000;

  public static final InferenceLogConfig DEFAULT =
      new InferenceLogConfig(
          Optional.empty(), Optional.empty(), 1, 64 << 10, 1 << 20, 100L << 20, 5, Set.of());

  public InferenceLogConfig {
    redact = Set.copyOf(redact);
  }

  /** Returns whether anything is recorded. */
  public boolean isOn() {
    return file.isPresent() || url.isPresent();
  }

  /** Reads the settings of the inference log. */
  public static InferenceLogConfig read(Section log) {
    var read =
        new InferenceLogConfig(
            log.text("file").map(Path::of),
            log.text("url").map(text -> url(log, text)),
            log.decimal("sample_ratio", DEFAULT.sampleRatio, 0, 1),
            log.size("max_tensor_size", DEFAULT.maxTensorSize, 0, LARGEST_RECORD),
            log.size("max_record_size", DEFAULT.maxRecordSize, 0, LARGEST_RECORD),
            log.size("max_file_size", DEFAULT.maxFileSize, 0, LARGEST_FILE),
            log.number("max_files", DEFAULT.maxFiles, 1, MOST_FILES),
            Set.copyOf(log.list("redact", List.<String>of(), tensor -> tensor.text())));
    if (read.file.isPresent() && read.url.isPresent()) {
      throw log.error("url", "is set, and inference_log.file too; wanted one of them");
    }
    read.file.ifPresent(file -> requireFolder(log, file));
    return read;
  }

  private static URI url(Section log, String text) {
    try {
      URI url = URI.create(text);
      if (url.getHost() != null && ("http".equals(url.getScheme()) || isHttps(url))) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // The same complaint.
    }
    throw log.error("url", "is '" + text + "'; wanted one such as http://logger.example/events");
  }

  private static boolean isHttps(URI url) {
    return "https".equals(url.getScheme());
  }

  private static void requireFolder(Section log, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
      throw log.error("file", "is " + file + "; wanted a file in a folder that there is");
    }
  }
}
