package dev.sluice.scheduling.caching;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything an answer depends on: the load of the version and those of its members, the signature,
 * the wanted outputs and each input whole, in the order of their names. Compared to the last byte,
 * so that two requests never share an answer by chance. Who wants all outputs names none here.
 */
final class RequestKey {
  /** Bytes of inputs beyond which copying and hashing them would hold the event loop too long. */
  private static final long MOST_BYTES = 1L << 20;

  /** With a key of this process: clients cannot make requests whose hashes are equal. */
  private static final HashFunction HASH = keyed(new SecureRandom());

  private final long load;
  private final List<Long> members;
  private final List<String> names;
  private final byte[] inputs;
  private final Set<String> outputs;

  /** Of all but the outputs. */
  private final int hash;

  private static HashFunction keyed(SecureRandom random) {
    return Hashing.sipHash24(random.nextLong(), random.nextLong());
  }

  private RequestKey(
      long load,
      List<Long> members,
      List<String> names,
      byte[] inputs,
      Set<String> outputs,
      int hash) {
    this.load = load;
    this.members = members;
    this.names = names;
    this.inputs = inputs;
    this.outputs = outputs;
    this.hash = hash;
  }

  private static int hash(long load, List<Long> members, List<String> names, byte[] inputs) {
    Hasher hasher = HASH.newHasher().putLong(load);
    members.forEach(hasher::putLong);
    for (String name : names) {
      hasher.putInt(name.length()).putUnencodedChars(name);
    }
    return hasher.putBytes(inputs).hash().asInt();
  }

  /**
   * Returns the key of a request, or null if its answer is not to be kept: it says more than its
   * tensors do, or it is large.
   *
   * @param heeds whether the model's answers depend on parameters
   * @param load unique number of the version's load
   * @param members loads of the other models that the answer is made of
   */
  static @Nullable RequestKey of(
      long load, List<Long> members, boolean heeds, InferenceRequest request) {
    RequestOptions options = request.options();
    boolean saysMore = heeds && !options.parameters().isEmpty();
    if (saysMore || !options.sequence().equals(SequenceStep.NONE)) {
      return null;
    }
    long bytes = 0;
    for (NamedTensor input : request.inputs()) {
      bytes += input.tensor().byteSize();
    }
    return bytes > MOST_BYTES ? null : copy(load, members, request, (int) bytes);
  }

  private static RequestKey copy(
      long load, List<Long> members, InferenceRequest request, int bytes) {
    List<NamedTensor> inputs = new ArrayList<>(request.inputs());
    inputs.sort(Comparator.comparing(NamedTensor::name));
    List<String> names = new ArrayList<>();
    names.add(request.signature().name());
    byte[] copy = new byte[bytes];
    int at = 0;
    for (NamedTensor input : inputs) {
      Tensor tensor = input.tensor();
      names.add(input.name());
      names.add(tensor.type() + tensor.shape().toString());
      int size = (int) tensor.byteSize();
      MemorySegment.copy(tensor.data(), ValueLayout.JAVA_BYTE, 0, copy, at, size);
      at += size;
    }
    return new RequestKey(
        load, members, names, copy, outputs(request), hash(load, members, names, copy));
  }

  /** None if all are wanted. */
  private static Set<String> outputs(InferenceRequest request) {
    Set<String> wanted = Set.copyOf(request.outputs());
    return wanted.size() == request.signature().outputs().size() ? Set.of() : wanted;
  }

  /** Returns the key of the same request for all outputs; null if it is that already. */
  @Nullable RequestKey ofAllOutputs() {
    return outputs.isEmpty() ? null : new RequestKey(load, members, names, inputs, Set.of(), hash);
  }

  boolean isOf(long wanted) {
    return load == wanted;
  }

  boolean isOf(List<Long> wanted) {
    return members.equals(wanted);
  }

  /** About what it takes. */
  long byteSize() {
    return inputs.length + 64L * (names.size() + members.size() + outputs.size());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RequestKey key
        && load == key.load
        && hash == key.hash
        && outputs.equals(key.outputs)
        && members.equals(key.members)
        && names.equals(key.names)
        && Arrays.equals(inputs, key.inputs);
  }

  @Override
  public int hashCode() {
    return 31 * hash + outputs.hashCode();
  }
}
