package dev.sluice.protocol.openai.tools;

import java.util.concurrent.ThreadLocalRandom;

/** Ids of calls: letters and digits at random. */
final class CallIds {
  private static final String LETTERS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  /** That long wants the chat template of Mistral's models. */
  private static final int LENGTH = 9;

  private CallIds() {}

  /** Returns another one. Any thread. */
  static String next() {
    var id = new StringBuilder(LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      id.append(LETTERS.charAt(ThreadLocalRandom.current().nextInt(LETTERS.length())));
    }
    return id.toString();
  }
}
