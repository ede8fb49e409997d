package dev.sluice.protocol.tfs.grpc;

import java.util.Arrays;
import java.util.Random;

/** Sound messages made unsound. */
final class Mutations {
  private Mutations() {}

  /** The message with some bytes changed, left out, doubled or cut off. */
  static byte[] of(byte[] sound, Random random) {
    byte[] message = sound.clone();
    for (int i = random.nextInt(6); i >= 0 && message.length > 0; i--) {
      int at = random.nextInt(message.length);
      message =
          switch (random.nextInt(8)) {
            case 0 -> Arrays.copyOf(message, at);
            case 1 -> without(message, at, 1 + random.nextInt(4));
            case 2 -> doubled(message, at, random.nextInt(20));
            case 3 -> changed(message, at, random.nextBoolean() ? 0xFF : 0x80);
            default -> changed(message, at, random.nextInt(256));
          };
    }
    return message;
  }

  private static byte[] changed(byte[] message, int at, int value) {
    message[at] = (byte) value;
    return message;
  }

  private static byte[] without(byte[] message, int from, int wanted) {
    int count = Math.min(wanted, message.length - from);
    byte[] rest = Arrays.copyOf(message, message.length - count);
    System.arraycopy(message, from + count, rest, from, rest.length - from);
    return rest;
  }

  private static byte[] doubled(byte[] message, int from, int wanted) {
    int count = Math.min(wanted, message.length - from);
    byte[] longer = Arrays.copyOf(message, message.length + count);
    System.arraycopy(message, from, longer, from + count, message.length - from);
    return longer;
  }
}
