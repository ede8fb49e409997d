package dev.sluice.transport.netty.vertx;

import io.vertx.core.json.jackson.JacksonCodec;
import io.vertx.core.spi.JsonFactory;
import io.vertx.core.spi.json.JsonCodec;

/**
 * Has Vert.x read and write JSON as trees, its {@code JsonObject} and {@code JsonArray}, which is
 * all that the server wants of it. Left alone, Vert.x takes Jackson's data binding, since that is
 * there for files: some 350 classes and their memory, in every process, from the first connection
 * on. Immutable; any thread.
 */
public final class TreeJsonFactory implements JsonFactory {
  private static final JsonCodec TREES = new JacksonCodec();

  /** Before all others. */
  @Override
  public int order() {
    return Integer.MIN_VALUE;
  }

  @Override
  public JsonCodec codec() {
    return TREES;
  }
}
