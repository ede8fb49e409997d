package dev.sluice.protocol.oip.http.json;

import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * One input as the JSON of a request gives it.
 *
 * @param head its name, type and shape
 * @param values its values if they were in the JSON; owned by the holder of the record
 * @param binarySize bytes that follow the JSON for it, if its values are not in there
 * @param place where it lies, if that is shared memory
 */
public record JsonInput(
    InputHead head,
    @Nullable Tensor values,
    long binarySize,
    @Nullable SharedMemoryParameters place) {
  /** Returns whether its values follow the JSON. */
  public boolean isBinary() {
    return values == null && place == null;
  }
}
