package dev.sluice.boot.accesslog;

import dev.sluice.telemetry.access.AccessEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Form of a line. For one thread. */
interface AccessLineFormat {
  /** Appends the line of an entry, with its end. */
  void append(AccessEntry entry, ByteArrayOutputStream lines) throws IOException;
}
