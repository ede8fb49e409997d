package dev.sluice.boot.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import dev.sluice.inference.health.OutOfMemory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Ends the process when a failure that someone logs says that memory has run out: Netty and Vert.x
 * catch what fails in their tasks and promises, log it, at whatever level, and go on.
 */
final class OutOfMemoryFilter extends TurboFilter {
  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] parameters,
      @Nullable Throwable failure) {
    if (failure != null) {
      OutOfMemory.endProcessIf(failure);
    }
    return FilterReply.NEUTRAL;
  }
}
