package dev.sluice.repository;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** All files below a folder. Two equal ones mean that nothing has changed in between. */
record Fingerprint(List<FileStamp> files) {
  static final Fingerprint NONE = new Fingerprint(List.of());

  Fingerprint {
    files = files.stream().sorted(Comparator.comparing(FileStamp::name)).toList();
  }

  /** Returns the time at which the newest file was written; the epoch if there is none. */
  Instant newest() {
    return files.stream()
        .map(FileStamp::modified)
        .max(Comparator.naturalOrder())
        .orElse(Instant.MIN);
  }
}
