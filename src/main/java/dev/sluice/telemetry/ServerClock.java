package dev.sluice.telemetry;

import java.util.function.LongSupplier;

/**
 * The clock of a server's requests, as one object. What reads it is compiled for the class that it
 * has met: a method reference of each server's own would have what the warm-up had compiled thrown
 * away by the first requests of clients.
 */
public final class ServerClock {
  /** {@link System#nanoTime}. */
  public static final LongSupplier NANO_TIME = System::nanoTime;

  private ServerClock() {}
}
