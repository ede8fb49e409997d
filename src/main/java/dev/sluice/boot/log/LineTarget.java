package dev.sluice.boot.log;

import java.io.Closeable;
import java.io.IOException;

/** Takes whole lines. For one thread. */
public interface LineTarget extends Closeable {
  /**
   * Writes lines, each with its end; all of them or none.
   *
   * @throws IOException if none is written
   */
  void write(byte[] lines) throws IOException;

  @Override
  default void close() throws IOException {}
}
