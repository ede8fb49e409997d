package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of an input or output that place its tensor in shared memory.
 *
 * @param region its name
 * @param offset where the tensor begins in the region
 * @param byteSize bytes that it has, or may have; negative if they do not say
 */
public record SharedMemoryParameters(String region, long offset, long byteSize) {
  /** Collects the parameters of one input or output. */
  public static final class Reader {
    private @Nullable String region;
    private long offset;
    private long byteSize = -1;

    /** Sets the name of the registered region. */
    public void region(String name) {
      region = name;
    }

    /** Sets the offset of the tensor in the region, in bytes. */
    public void offset(long bytes) {
      offset = bytes;
    }

    /** Sets the size of the tensor in bytes. */
    public void byteSize(long bytes) {
      byteSize = bytes;
    }

    /**
     * Takes a parameter, if it is one of these.
     *
     * @throws InferenceException with INVALID_ARGUMENT if it has a wrong type
     */
    public void put(String name, @Nullable ParameterValue value) {
      switch (name) {
        case SharedMemorySlice.REGION -> {
          if (!(value instanceof ParameterValue.Text(String text))) {
            throw wrongType(name, "string_param");
          }
          region = text;
        }
        case SharedMemorySlice.OFFSET -> offset = number(name, value);
        case SharedMemorySlice.BYTE_SIZE -> byteSize = number(name, value);
        default -> {}
      }
    }

    private static long number(String name, @Nullable ParameterValue value) {
      if (value instanceof ParameterValue.Whole(long number, _)) {
        return number;
      }
      throw wrongType(name, "int64_param");
    }

    private static InferenceException wrongType(String name, String wanted) {
      return InferenceException.invalid(
          "invalid value type for '" + name + "' parameter, expected " + wanted + ".");
    }

    /** Returns the place; null if no region was named. */
    public @Nullable SharedMemoryParameters place() {
      return region == null ? null : new SharedMemoryParameters(region, offset, byteSize);
    }
  }
}
