package dev.sluice.security;

import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import java.util.Set;

/**
 * A caller where some operations need a header.
 *
 * @param caller without regard to headers
 * @param open those of them whose header was presented
 */
record RestrictedCaller(Caller caller, Restrictions restrictions, Set<Operation> open)
    implements Caller {
  @Override
  public String listener() {
    return caller.listener();
  }

  @Override
  public String identity() {
    return caller.identity();
  }

  @Override
  public double share() {
    return caller.share();
  }

  @Override
  public int highestPriority(String model) {
    return caller.highestPriority(model);
  }

  @Override
  public boolean isAnonymous() {
    return caller.isAnonymous();
  }

  @Override
  public void require(Operation operation) {
    if (byPolicy(operation)) {
      caller.require(operation);
    } else if (!open.contains(operation)) {
      throw restrictions.refusal(operation);
    }
  }

  @Override
  public void require(Operation operation, String model) {
    if (byPolicy(operation)) {
      caller.require(operation, model);
    } else if (!open.contains(operation)) {
      throw restrictions.refusal(operation);
    }
  }

  @Override
  public boolean may(Operation operation, String model) {
    return byPolicy(operation) ? caller.may(operation, model) : open.contains(operation);
  }

  /** Returns whether no header decides. */
  private boolean byPolicy(Operation operation) {
    return !restrictions.covers(operation) || restrictions.isClosed(operation);
  }

  @Override
  public Caller withServerRights() {
    return caller.withServerRights();
  }
}
