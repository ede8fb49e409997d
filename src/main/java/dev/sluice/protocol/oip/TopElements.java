package dev.sluice.protocol.oip;

/**
 * Keeps the best of many elements: those with the largest keys, and of equal ones those that came
 * first. A heap whose root is the worst of those kept.
 */
final class TopElements {
  private final long[] keys;
  private final int[] indexes;
  private int size;

  /**
   * @param most how many to keep, one at least
   */
  TopElements(int most) {
    this.keys = new long[most];
    this.indexes = new int[most];
  }

  /** Offers the next element. */
  void add(long key, int index) {
    if (size < keys.length) {
      rise(size++, key, index);
    } else if (key > keys[0]) {
      sink(key, index);
    }
  }

  /** Takes all elements out, the best first. */
  int[] take() {
    int[] best = new int[size];
    while (size > 0) {
      best[size - 1] = indexes[0];
      size--;
      sink(keys[size], indexes[size]);
    }
    return best;
  }

  private void rise(int from, long key, int index) {
    int at = from;
    while (at > 0 && isWorse(key, index, (at - 1) / 2)) {
      copy((at - 1) / 2, at);
      at = (at - 1) / 2;
    }
    put(at, key, index);
  }

  private void sink(long key, int index) {
    int at = 0;
    for (int child = worseChild(at); child < size && !isWorse(key, index, child); ) {
      copy(child, at);
      at = child;
      child = worseChild(at);
    }
    put(at, key, index);
  }

  private int worseChild(int at) {
    int left = 2 * at + 1;
    return left + 1 < size && isWorse(keys[left + 1], indexes[left + 1], left) ? left + 1 : left;
  }

  private boolean isWorse(long key, int index, int other) {
    return key < keys[other] || (key == keys[other] && index > indexes[other]);
  }

  private void copy(int from, int to) {
    put(to, keys[from], indexes[from]);
  }

  private void put(int at, long key, int index) {
    keys[at] = key;
    indexes[at] = index;
  }
}
