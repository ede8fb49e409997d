package dev.sluice.boot;

import java.time.Duration;
import java.util.List;

/** A server that has started. Any thread. */
interface Server extends AutoCloseable {
  /** The addresses it listens on, in the order of the settings, with the ports it really got. */
  List<String> addresses();

  /** Every version of every model it knows, by name and number. */
  List<ModelLine> models();

  /** What could be better about its models, a line each. Only while nobody asks them; blocks. */
  List<String> advice();

  /** How long {@link #close} may take before runs of models are what it waits for. */
  Duration closingTime();

  /** Drains, then stops. Blocks until all is closed; closing again does nothing. */
  @Override
  void close();
}
