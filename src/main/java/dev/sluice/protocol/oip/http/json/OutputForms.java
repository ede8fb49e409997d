package dev.sluice.protocol.oip.http.json;

import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.protocol.oip.SharedMemorySlice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The outputs that a request wants, and those of them that it wants as binary data. */
public final class OutputForms {
  /** Lists of no capacity take one element without room for nine more, which few requests need. */
  private final List<String> names = new ArrayList<>(0);

  private final List<Boolean> binary = new ArrayList<>(0);
  private Map<String, Integer> classes = Map.of();
  private Map<String, SharedMemoryParameters> places = Map.of();
  private Map<String, SharedMemorySlice> slots = Map.of();
  private boolean allBinary;

  /**
   * Lists an output.
   *
   * @param best how many of its best elements are wanted in place of all; 0 for all
   */
  public void add(String name, boolean isBinary, int best) {
    names.add(name);
    binary.add(isBinary);
    if (best > 0) {
      classes = classes.isEmpty() ? new HashMap<>() : classes;
      classes.put(name, best);
    }
  }

  /** Says that an output is to go to shared memory. */
  void place(String name, SharedMemoryParameters place) {
    places = places.isEmpty() ? new HashMap<>() : places;
    places.put(name, place);
  }

  /**
   * Finds the shared memory that outputs are to go to.
   *
   * @param memory that the caller shares; null where none is served
   * @throws dev.sluice.inference.InferenceException as {@link SharedMemory#slot}, or with
   *     INVALID_ARGUMENT for an output that is classified too
   */
  public void findPlaces(@Nullable SharedMemory memory) {
    if (!places.isEmpty()) {
      slots = SharedMemory.slots(memory, places, classes);
    }
  }

  /** Returns the place in shared memory for an output; null if it goes into the answer. */
  public @Nullable SharedMemorySlice slot(String output) {
    return slots.get(output);
  }

  /** By output, how many of its best elements are wanted in place of all. */
  public Map<String, Integer> classes() {
    return classes;
  }

  /** Says that all outputs are wanted as binary data, which counts only if none is listed. */
  public void binaryByDefault(boolean wanted) {
    allBinary = wanted;
  }

  /** Returns the names listed, in their order; empty if all outputs are wanted. */
  public List<String> names() {
    return names;
  }

  /** Returns whether an output is written as binary tensor data. */
  public boolean isBinary(String output) {
    int index = names.indexOf(output);
    return index < 0 ? allBinary : binary.get(index);
  }
}
