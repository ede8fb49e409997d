package dev.sluice.boot.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * Form of a record's line. For one thread.
 *
 * @param <T> a record of the log
 */
public interface LineFormat<T> {
  /** Appends the line of a record, with its end. */
  void append(T entry, ByteArrayOutputStream lines) throws IOException;
}
