package dev.sluice.inference;

/**
 * The server itself, acting for a file of settings.
 *
 * @param listener the file
 */
record ServerCaller(String listener) implements Caller {
  @Override
  public String identity() {
    return "server";
  }

  @Override
  public boolean isAnonymous() {
    return false;
  }

  @Override
  public void require(Operation operation) {
    // The settings were written by whoever started the server.
  }

  @Override
  public void require(Operation operation, String model) {
    // The settings were written by whoever started the server.
  }
}
