package dev.sluice.testing;

import java.util.Arrays;
import java.util.Random;

/** Damages bytes the way that finds holes in decoders. The same seed damages alike. */
public final class Mutations {
  private final Random random;

  public Mutations(long seed) {
    this.random = new Random(seed);
  }

  /** A damaged copy: bytes changed, doubled, left out, or cut off. */
  public byte[] damage(byte[] original) {
    byte[] damaged = original.clone();
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times && damaged.length > 0; i++) {
      damaged = damageOnce(damaged);
    }
    return damaged;
  }

  private byte[] damageOnce(byte[] bytes) {
    int at = random.nextInt(bytes.length);
    return switch (random.nextInt(5)) {
      case 0 -> Arrays.copyOf(bytes, at);
      case 1 -> without(bytes, at, Math.min(bytes.length, at + 1 + random.nextInt(8)));
      case 2 -> doubled(bytes, at);
      case 3 -> with(bytes, at, bytes[random.nextInt(bytes.length)]);
      default -> with(bytes, at, (byte) random.nextInt(256));
    };
  }

  private static byte[] with(byte[] bytes, int at, byte value) {
    bytes[at] = value;
    return bytes;
  }

  private static byte[] without(byte[] bytes, int from, int to) {
    byte[] shorter = Arrays.copyOf(bytes, bytes.length - (to - from));
    System.arraycopy(bytes, to, shorter, from, bytes.length - to);
    return shorter;
  }

  private static byte[] doubled(byte[] bytes, int from) {
    byte[] longer = Arrays.copyOf(bytes, bytes.length + bytes.length - from);
    System.arraycopy(bytes, from, longer, bytes.length, bytes.length - from);
    return longer;
  }
}
