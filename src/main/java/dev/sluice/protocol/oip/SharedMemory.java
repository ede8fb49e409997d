package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.Exchange;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Shared memory as one caller may use it: on the same machine, with the right to it.
 *
 * @param regions of all callers
 * @param caller the request's caller
 * @param local whether the caller is on this machine, as far as its connection says
 */
public record SharedMemory(SharedMemoryRegions regions, Caller caller, boolean local) {
  /** Returns the shared memory for the caller of an exchange. On its event loop. */
  public static SharedMemory of(SharedMemoryRegions regions, Exchange exchange) {
    return new SharedMemory(regions, exchange.caller(), isLocal(exchange.peer()));
  }

  private static boolean isLocal(@Nullable Object peer) {
    if (!(peer instanceof SocketAddress address)) {
      return false;
    }
    return address.isDomainSocket()
        || (address.hostAddress() != null
            && InetAddress.ofLiteral(address.hostAddress()).isLoopbackAddress());
  }

  /**
   * Returns the caller, who may use shared memory.
   *
   * @throws InferenceException with PERMISSION_DENIED if not
   */
  public Caller require() {
    caller.require(Operation.SHARED_MEMORY);
    if (!local) {
      throw new InferenceException(
          ErrorCode.PERMISSION_DENIED,
          "shared memory is for callers on the same machine: over loopback or a Unix domain"
              + " socket");
    }
    return caller;
  }

  /**
   * Returns where a tensor lies.
   *
   * @param memory that the caller shares; null where none is served
   * @throws InferenceException with NOT_FOUND if there is no such region, INVALID_ARGUMENT if it
   *     has no such part, or as {@link #require}
   */
  public static SharedMemorySlice slot(
      @Nullable SharedMemory memory, SharedMemoryParameters place) {
    if (memory == null) {
      throw SharedMemoryRegion.notFound(place.region());
    }
    SharedMemoryRegion found = memory.regions.find(memory.require(), place.region());
    if (place.byteSize() < 0) {
      throw InferenceException.invalid(
          "shared memory region '%s' is named without a 'shared_memory_byte_size' of 0 or more"
              .formatted(Excerpt.of(place.region())));
    }
    found.requirePart(place.offset(), place.byteSize());
    return new SharedMemorySlice(found, place.offset(), place.byteSize());
  }

  /**
   * Returns where each of several outputs goes, none of which is classified; see {@link #slot}.
   *
   * @throws InferenceException also with INVALID_ARGUMENT if one is
   */
  public static Map<String, SharedMemorySlice> slots(
      @Nullable SharedMemory memory,
      Map<String, SharedMemoryParameters> places,
      Map<String, Integer> classes) {
    requirePlain(places.keySet(), classes);
    Map<String, SharedMemorySlice> slots = new HashMap<>();
    places.forEach((output, place) -> slots.put(output, slot(memory, place)));
    return slots;
  }

  /** Refuses memory of a GPU. */
  public static InferenceException noCuda(String region) {
    return new InferenceException(
        ErrorCode.UNIMPLEMENTED,
        "failed to register CUDA shared memory region '%s': no GPU memory is served; wanted a region of system shared memory"
            .formatted(Excerpt.of(region)));
  }

  private static void requirePlain(Set<String> placed, Map<String, Integer> classes) {
    for (String output : placed) {
      if (classes.containsKey(output)) {
        throw InferenceException.invalid(
            "output '%s' is classified, and its classes cannot go to shared memory"
                .formatted(Excerpt.of(output)));
      }
    }
  }

  /** Returns bytes of work that a request may be besides its message. */
  public long work() {
    return regions.largest();
  }
}
