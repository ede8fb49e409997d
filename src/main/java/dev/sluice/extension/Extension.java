package dev.sluice.extension;

/**
 * Common part of all plugins: a constructor without parameters, and two lifecycle methods. A class
 * that implements several of the interfaces is one object.
 */
public interface Extension {
  /**
   * Called when the version is being loaded. May block, on a thread of the server's; a failure here
   * fails the load, with its text.
   */
  default void open(Setup setup) throws Exception {}

  /** Called when no call will come any more: the version was unloaded, or could not be loaded. */
  default void close() throws Exception {}
}
