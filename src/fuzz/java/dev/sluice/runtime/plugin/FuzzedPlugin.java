package dev.sluice.runtime.plugin;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Request;

/** A class that a service file of a plugin may name. */
public final class FuzzedPlugin implements Model {
  @Override
  public ModelSignature signature() {
    return ModelSignature.OPEN;
  }

  @Override
  public Answer run(Request request) {
    throw new UnsupportedOperationException("nothing is asked here");
  }
}
