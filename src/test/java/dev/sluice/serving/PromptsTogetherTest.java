package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.RequestOptions;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.NamedCallers;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Prompts of a decoder that arrive together and begin alike: what they share is computed once. */
class PromptsTogetherTest extends PromptsOfADecoder {
  private static final int MANY = 8;
  private static final String CHUNKS = "  prefill_chunk: 4\n";

  /** Holds the model while streams come, all at once. */
  private List<StreamReader> together(List<long[]> prompts) {
    held().hold();
    decoder().block();
    List<StreamReader> readers =
        new ArrayList<>(prompts.stream().map(this::stream).map(each -> each.ask(100)).toList());
    decoder().settle();
    held().open();
    return readers;
  }

  private void assertEachSaysWhatItSaysAlone(List<long[]> prompts) throws Throwable {
    List<StreamReader> readers = together(prompts);
    for (int i = 0; i < readers.size(); i++) {
      assertSaysWhatALoopSays(readers.get(i), prompts.get(i));
    }
  }

  private static List<long[]> different(int common, int others) {
    var prompts = new ArrayList<long[]>();
    for (int i = 0; i < MANY; i++) {
      prompts.add(prompt(common, others, i));
    }
    return prompts;
  }

  private static List<long[]> equal(int length) {
    return Collections.nCopies(MANY, prompt(length, 0, 0));
  }

  private long reused() {
    return meter().tokens().orElseThrow().reused().getAsLong();
  }

  private long computed() {
    return meter().tokens().orElseThrow().computed().getAsLong();
  }

  private void awaitRuns(int count) {
    Polling.await("it has run", () -> decoder().runs().size() >= count);
  }

  @ParameterizedTest
  @EnumSource(names = {"GIVEN", "OF_MASK", "OF_LENGTH", "COMMON"})
  void whatTheyBeginWithIsComputedOnce(Positions positions) throws Throwable {
    start(positions, "");
    assertEachSaysWhatItSaysAlone(different(18, 4));
    var expected = new ArrayList<>(List.of("1x22"));
    expected.addAll(Collections.nCopies(MANY - 1, "1x4"));
    assertThat(prompts()).isEqualTo(expected);
    assertThat(reused()).isEqualTo((MANY - 1) * 18);
    assertThat(computed()).as("with that of the stream before them").isEqualTo(1 + 22 + 7 * 4);
  }

  @Test
  void theSamePromptManyTimesIsComputedOnce() throws Throwable {
    start("");
    assertEachSaysWhatItSaysAlone(equal(22));
    assertThat(prompts()).containsExactly("1x22");
    assertThat(reused()).isEqualTo((MANY - 1) * 21);
    assertThat(computed()).isEqualTo(1 + 22 + 7);
  }

  @Test
  void inChunksTheyWaitForTheLastOneThatTheyShare() throws Throwable {
    start(CHUNKS);
    assertEachSaysWhatItSaysAlone(List.of(prompt(18, 22, 1), prompt(18, 2, 2), prompt(18, 3, 3)));
    assertThat(reused()).isEqualTo(2 * 18);
    assertThat(computed()).isEqualTo(1 + 40 + 2 + 3);
    assertThat(prompts().subList(0, 5)).containsOnly("1x4");
    assertThat(prompts().subList(5, 8))
        .as("beside what is left of the long one")
        .containsExactlyInAnyOrder("1x4", "1x2", "1x3");
  }

  @Test
  void aStreamThatComesLaterWaitsForThePromptUnderWay() throws Throwable {
    start(CHUNKS);
    held().hold();
    StreamReader first = stream(prompt(18, 22, 1)).ask(100);
    held().awaitRun();
    StreamReader second = stream(prompt(18, 3, 2)).ask(100);
    decoder().settle();
    held().open();
    assertSaysWhatALoopSays(second, prompt(18, 3, 2));
    assertSaysWhatALoopSays(first, prompt(18, 22, 1));
    assertThat(reused()).isEqualTo(18);
    assertThat(computed()).isEqualTo(40 + 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void whoTheyWaitForMayLeave(int chunks) throws Throwable {
    start(CHUNKS);
    held().hold();
    StreamReader first = stream(prompt(18, 4, 0)).ask(100);
    held().letGo(chunks);
    awaitRuns(chunks);
    held().awaitRun();
    List<StreamReader> others =
        different(18, 4).stream().map(this::stream).map(each -> each.ask(100)).toList();
    decoder().settle();
    first.leave();
    decoder().settle();
    held().open();
    for (int i = 0; i < MANY; i++) {
      assertSaysWhatALoopSays(others.get(i), prompt(18, 4, i));
    }
    assertThat(reused()).as("the second is waited for").isEqualTo((MANY - 1) * 18);
  }

  @Test
  void whoTheyWaitForMayFail() throws Throwable {
    start("");
    held().failNext(Shape.of(1, 22));
    List<StreamReader> readers = together(different(18, 4).subList(0, 3));
    assertThatThrownBy(readers.get(0)::end)
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("the run fails");
    assertSaysWhatALoopSays(readers.get(1), prompt(18, 4, 1));
    assertSaysWhatALoopSays(readers.get(2), prompt(18, 4, 2));
    assertThat(prompts()).containsExactly("1x22", "1x22", "1x4");
  }

  @Test
  void whoWaitsMayLeaveOrHaveADeadline() throws Throwable {
    start(CHUNKS);
    held().hold();
    StreamReader first = stream(prompt(18, 4, 0)).ask(100);
    held().awaitRun();
    long[] same = prompt(18, 4, 1);
    StreamReader left = stream(same).ask(100);
    StreamReader late =
        decoder().stream(
                Deadline.after(Duration.ofMillis(200), System.nanoTime()),
                HeldDecoder.tokens(Shape.of(1, same.length), same))
            .ask(100);
    StreamReader patient = stream(same).ask(100);
    decoder().settle();
    left.leave();
    assertThatThrownBy(late::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    held().open();
    assertSaysWhatALoopSays(first, prompt(18, 4, 0));
    assertSaysWhatALoopSays(patient, same);
    assertThat(computed()).isEqualTo(22 + 4);
  }

  private StreamReader stream(int priority, long[] prompt) {
    return decoder().stream(
            Deadline.NONE,
            RequestOptions.ofPriority(priority),
            HeldDecoder.tokens(Shape.of(1, prompt.length), prompt))
        .ask(100);
  }

  @Test
  void aStreamWaitsForNoneOfALowerPriority() throws Throwable {
    start(CHUNKS + "\npriority_levels: 2\ndefault_priority_level: 2\n");
    held().hold();
    StreamReader low = stream(2, prompt(18, 22, 0));
    held().awaitRun();
    StreamReader high = stream(1, prompt(18, 5, 1));
    StreamReader other = stream(2, prompt(18, 5, 2));
    decoder().settle();
    held().open();
    assertSaysWhatALoopSays(high, prompt(18, 5, 1));
    assertSaysWhatALoopSays(other, prompt(18, 5, 2));
    assertSaysWhatALoopSays(low, prompt(18, 22, 0));
    assertThat(prompts().subList(1, 7))
        .as("it goes in front of what is left of the other")
        .containsExactly("1x4", "1x4", "1x4", "1x4", "1x4", "1x3");
    assertThat(reused()).as("of the other that is low, too").isEqualTo(18);
  }

  @Test
  void whoWaitsTakesNoMemory() throws Throwable {
    start(CHUNKS + "  cache_memory: 1MiB");
    held().hold();
    StreamReader first = stream(prompt(18, 4, MANY)).ask(100);
    held().awaitRun();
    long ofFirst = meter().cacheBytes();
    List<StreamReader> others =
        different(18, 4).stream().map(this::stream).map(each -> each.ask(100)).toList();
    held().letGo(1);
    awaitRuns(1);
    held().awaitRun();
    assertThat(meter().cacheBytes()).isEqualTo(ofFirst);
    assertThat(meter().cacheWaiting()).isZero();
    held().open();
    assertSaysWhatALoopSays(first, prompt(18, 4, MANY));
    for (int i = 0; i < MANY; i++) {
      assertSaysWhatALoopSays(others.get(i), prompt(18, 4, i));
    }
    assertThat(reused()).isEqualTo(MANY * 18);
  }

  @Test
  void streamsThatLackMemoryWaitForThatFirst() throws Throwable {
    int one = 32 * (22 + STEPS - 1);
    start(CHUNKS + "  cache_memory: " + 2 * one);
    assertEachSaysWhatItSaysAlone(different(18, 4));
    assertThat(meter().cacheWaiting()).isZero();
  }

  @Test
  void whereNothingCanBeKeptTheyRunTogether() throws Throwable {
    start("  prefixes: { memory: 100 }");
    assertEachSaysWhatItSaysAlone(different(18, 4));
    assertThat(prompts()).containsExactly("1x22", (MANY - 1) + "x22");
    assertThat(reused()).isZero();
  }

  @Test
  void aShortPrefixIsComputedByEach() throws Throwable {
    start("");
    assertEachSaysWhatItSaysAlone(different(15, 8));
    assertThat(prompts()).containsExactly(MANY + "x23");
  }

  @Test
  void aShortPromptDoesNotWaitForALongOne() throws Throwable {
    start("  prefill_chunk: 0");
    assertEachSaysWhatItSaysAlone(List.of(prompt(20, 380, 1), prompt(20, 380, 2)));
    assertThat(prompts()).as("it takes longer than what they share").containsExactly("2x400");
  }

  @Test
  void identitiesDoNotWaitForEachOther() throws Throwable {
    start("");
    var callers = new NamedCallers(1);
    long[] same = prompt(18, 4, 1);
    held().hold();
    decoder().block();
    StreamReader ann = stream(callers.of("ann"), same).ask(100);
    StreamReader bob = stream(callers.of("bob"), same).ask(100);
    decoder().settle();
    held().open();
    assertSaysWhatALoopSays(ann, same);
    assertSaysWhatALoopSays(bob, same);
    assertThat(prompts()).containsExactly("2x22");
  }
}
