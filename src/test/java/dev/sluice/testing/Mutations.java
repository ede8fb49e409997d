package dev.sluice.testing;

import java.util.Arrays;
import java.util.Random;

/** Makes wrong bytes out of right ones, the same ones each time. */
public final class Mutations {
  private final Random random;

  public Mutations(long seed) {
    this.random = new Random(seed);
  }

  /** A copy with a few bytes changed, removed, doubled or cut off. */
  public byte[] of(byte[] right) {
    byte[] wrong = right.clone();
    for (int i = random.nextInt(4); i >= 0 && wrong.length > 1; i--) {
      wrong = mutate(wrong);
    }
    return wrong;
  }

  private byte[] mutate(byte[] bytes) {
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> bytes[at] = (byte) random.nextInt();
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes[at] = bytes[random.nextInt(bytes.length)];
      case 3 -> {
        return Arrays.copyOf(bytes, at);
      }
      default -> {
        return repeat(bytes, at, random.nextInt(Math.min(bytes.length - at, 40)));
      }
    }
    return bytes;
  }

  private static byte[] repeat(byte[] bytes, int at, int length) {
    byte[] longer = new byte[bytes.length + length];
    System.arraycopy(bytes, 0, longer, 0, at + length);
    System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
    return longer;
  }
}
