package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

class TopElementsTest {
  @RepeatedTest(200)
  void bestAreThoseThatASortPutsInFront(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    long[] keys = random.longs(random.nextInt(60), 0, 20).toArray();
    int most = 1 + random.nextInt(30);
    var best = new TopElements(most);
    for (int i = 0; i < keys.length; i++) {
      best.add(keys[i], i);
    }
    assertThat(best.take())
        .containsExactly(
            IntStream.range(0, keys.length)
                .boxed()
                .sorted(Comparator.comparingLong(i -> -keys[i]))
                .limit(most)
                .mapToInt(i -> i)
                .toArray());
  }
}
