package dev.sluice.inference.access;

/**
 * The server itself, acting for a file of settings or for an identity that asks a composed model.
 *
 * @param listener the file, or where the identity came in
 */
record ServerCaller(String listener, String identity, double share, boolean isAnonymous)
    implements Caller {
  @Override
  public void require(Operation operation) {
    // The settings were written by the operator who started the server.
  }

  @Override
  public void require(Operation operation, String model) {
    // The settings were written by the operator who started the server.
  }

  @Override
  public boolean may(Operation operation, String model) {
    return true;
  }

  @Override
  public int highestPriority(String model) {
    return 1;
  }

  @Override
  public Caller withServerRights() {
    return this;
  }
}
