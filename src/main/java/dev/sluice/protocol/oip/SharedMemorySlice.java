package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.SharedBlock;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The place in shared memory of one tensor of a request, or of its answer.
 *
 * @param region holds it
 * @param offset where it begins in the region
 * @param byteSize bytes that it has, or may have
 */
public record SharedMemorySlice(SharedMemoryRegion region, long offset, long byteSize) {
  /** The parameters of inputs and outputs that say so. */
  public static final String REGION = "shared_memory_region";

  public static final String OFFSET = "shared_memory_offset";
  public static final String BYTE_SIZE = "shared_memory_byte_size";

  /**
   * Returns a copy of an input, which the caller owns: what the client does to the memory meanwhile
   * changes no request.
   *
   * @param model the model's name, for messages
   * @throws InferenceException with INVALID_ARGUMENT if the bytes are not such a tensor
   */
  public Tensor read(InputHead input, String model) {
    if (byteSize > Integer.MAX_VALUE) {
      throw InferenceException.invalid(
          "input '%s' has %d bytes in shared memory, wanted less than 2 GiB"
              .formatted(Excerpt.of(input.name()), byteSize));
    }
    if (input.type() != DataType.BYTES) {
      RawInputs.checkSize(input, byteSize, model);
    }
    try (var bytes = new Body(new SharedBlock(byteSize, 0), (int) byteSize)) {
      region.read(offset, bytes.segment());
      return RawInputs.read(input, bytes, model);
    }
  }

  /**
   * Copies an output there.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it does not fit
   */
  public void write(String output, Tensor tensor) {
    if (tensor.byteSize() > byteSize) {
      throw InferenceException.invalid(
          "shared memory size specified with the request for output '%s' (%d bytes) should be at least %d bytes to hold the results"
              .formatted(output, byteSize, tensor.byteSize()));
    }
    region.write(offset, tensor.data());
  }

  /** Returns what an answer says in place of an output's values. */
  public Map<String, ParameterValue> parameters() {
    Map<String, ParameterValue> said = new LinkedHashMap<>();
    said.put(REGION, new ParameterValue.Text(region.name()));
    if (offset != 0) {
      said.put(OFFSET, new ParameterValue.Whole(offset, false));
    }
    said.put(BYTE_SIZE, new ParameterValue.Whole(byteSize, false));
    return said;
  }
}
