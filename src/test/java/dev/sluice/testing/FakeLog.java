package dev.sluice.testing;

import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.LogControl;

/** A log of which only the levels are remembered. */
public final class FakeLog implements LogControl {
  private Levels levels = new Levels(true, true, true, 0, Format.ISO8601);

  @Override
  public Levels levels() {
    return levels;
  }

  @Override
  public String file() {
    return "";
  }

  @Override
  public void setLevels(Levels wanted, Caller caller) {
    caller.require(Operation.LOGGING);
    levels = wanted;
  }
}
