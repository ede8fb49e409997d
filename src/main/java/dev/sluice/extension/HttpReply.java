package dev.sluice.extension;

import java.nio.charset.StandardCharsets;

/**
 * Writes the answer to an HTTP request. One thread at a time.
 *
 * <p>Backpressure: writing waits while the client does not read.
 */
public interface HttpReply {
  /** Sets the status; 200 otherwise. Before anything is written. */
  HttpReply status(int status);

  /** Sets a header. Before anything is written. */
  HttpReply header(String name, String value);

  /** Sends the whole answer. Ends it. */
  void send(byte[] body) throws InterruptedException;

  /** Sends the whole answer as UTF-8, as {@code text/plain} if no type was set. */
  default void send(String text) throws InterruptedException {
    send(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Sends one chunk of an answer whose length is not known, at once. Waits while the client does
   * not read.
   *
   * @throws java.util.concurrent.CancellationException if the client has left
   */
  void write(byte[] chunk) throws InterruptedException;

  /** Sends one chunk of text. */
  default void write(String chunk) throws InterruptedException {
    write(chunk.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns whether the request is cancelled or expired. */
  boolean isCancelled();
}
