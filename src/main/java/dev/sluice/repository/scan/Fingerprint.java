package dev.sluice.repository.scan;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** All files below a folder. Two equal ones mean that nothing has changed in between. */
public record Fingerprint(List<FileStamp> files) {
  /** Fingerprint of no files. */
  public static final Fingerprint NONE = new Fingerprint(List.of());

  /** Sorts the files by name. */
  public Fingerprint {
    files = files.stream().sorted(Comparator.comparing(FileStamp::name)).toList();
  }

  /** Returns the time at which the newest file was written; the epoch if there is none. */
  public Instant newest() {
    return files.stream()
        .map(FileStamp::modified)
        .max(Comparator.naturalOrder())
        .orElse(Instant.MIN);
  }
}
