package dev.sluice.telemetry;

import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.meter.ModelMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one kind to one model.
 *
 * @param api what they ask for
 * @param entryPoint what carries them
 */
record ApiCalls(Api api, EntryPoint entryPoint, CallMeter meter) {
  /** Returns all calls to a model by some methods, of which there was at least one. */
  static List<ApiCalls> of(ModelMeter model, Iterable<Api> apis) {
    List<ApiCalls> found = new ArrayList<>();
    for (Api api : apis) {
      for (EntryPoint entryPoint : EntryPoint.values()) {
        @Nullable CallMeter meter = model.callsSoFar(api, entryPoint);
        if (meter != null) {
          found.add(new ApiCalls(api, entryPoint, meter));
        }
      }
    }
    return found;
  }
}
