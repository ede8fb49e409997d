package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.NamedCallers;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Prompts of a decoder that begin as earlier ones did. */
class PromptPrefixesTest extends PromptsOfADecoder {
  private static final NamedCallers CALLERS = new NamedCallers(1);
  private static final String ROOM = "  prefill_chunk: 0\n";

  @ParameterizedTest
  @EnumSource(names = {"GIVEN", "OF_MASK", "OF_LENGTH", "COMMON"})
  void aPromptRunsWhatNoEarlierOneBeganWith(Positions positions) throws Throwable {
    start(positions, "");
    say(prompt(18, 4, 1));
    say(prompt(18, 6, 2));
    assertThat(prompts()).containsExactly("1x22", "1x6");
    assertThat(meter().tokens().orElseThrow().computed().getAsLong()).isEqualTo(22 + 6);
    assertThat(meter().tokens().orElseThrow().reused().getAsLong()).isEqualTo(18);
  }

  @Test
  void theSamePromptAgainRunsItsLastTokenAlone() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    say(prompt(18, 4, 1));
    assertThat(decoder().runs()).hasSize(2 * STEPS);
    assertThat(prompts()).containsExactly("1x22");
    assertThat(meter().tokens().orElseThrow().reused().getAsLong()).isEqualTo(21);
  }

  @Test
  void aConversationThatGoesOnRunsItsNewTokens() throws Throwable {
    start("");
    long[] all = prompt(18, 20, 1);
    say(Arrays.copyOf(all, 20));
    say(Arrays.copyOf(all, 29));
    say(all);
    assertThat(prompts()).containsExactly("1x20", "1x9", "1x9");
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong())
        .as("the longest alone is kept")
        .isEqualTo(38 * 40);
  }

  @Test
  void whatIsLeftOfALongPromptRunsInChunks() throws Throwable {
    start("  prefill_chunk: 4");
    say(prompt(18, 1, 1));
    say(prompt(18, 10, 2));
    assertThat(prompts()).containsExactly("1x4", "1x4", "1x4", "1x4", "1x3", "1x4", "1x4", "1x2");
  }

  @Test
  void streamsBesideOthersSayWhatTheySayAlone() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    StreamReader[] others = decoder().prefilled(12, 2);
    decoder().block();
    StreamReader one = stream(prompt(18, 6, 2)).ask(100);
    StreamReader other = stream(prompt(18, 9, 3)).ask(100);
    others[0].ask(100);
    others[1].ask(100);
    decoder().settle();
    held().open();
    assertSaysWhatALoopSays(one, prompt(18, 6, 2));
    assertSaysWhatALoopSays(other, prompt(18, 9, 3));
    assertSaysWhatALoopSays(others[0], HeldDecoder.prompt(12));
    assertSaysWhatALoopSays(others[1], HeldDecoder.prompt(2));
    assertThat(prompts()).contains("1x6", "1x9");
    assertThat(decoder().runs()).contains("4x1");
  }

  @Test
  void aShortPrefixIsComputedAgain() throws Throwable {
    start("");
    say(prompt(15, 9, 1));
    say(prompt(15, 8, 2));
    assertThat(prompts()).containsExactly("1x24", "1x23");
  }

  @Test
  void anIdentityDoesNotBeginWithWhatAnotherLeft() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    long[] same = prompt(18, 4, 1);
    assertSaysWhatALoopSays(stream(CALLERS.of("ann"), same), same);
    assertSaysWhatALoopSays(stream(CALLERS.of("bob"), same), same);
    assertThat(prompts()).containsExactly("1x22", "1x22", "1x22");
    assertSaysWhatALoopSays(stream(CALLERS.of("ann"), same), same);
    assertThat(prompts()).hasSize(3);
  }

  @Test
  void allIdentitiesShareWhereTheSettingsSaySo() throws Throwable {
    start("  prefixes: { shared_by: all }");
    say(prompt(18, 4, 1));
    long[] same = prompt(18, 4, 1);
    assertSaysWhatALoopSays(stream(CALLERS.of("ann"), same), same);
    assertThat(prompts()).containsExactly("1x22");
  }

  @Test
  void nothingIsKeptWhereTheSettingsSaySo() throws Throwable {
    start("  prefixes: { shared_by: none }");
    say(prompt(18, 4, 1));
    say(prompt(18, 4, 1));
    assertThat(prompts()).containsExactly("1x22", "1x22");
    assertThat(decoder().model().streamAdvice().orElseThrow())
        .endsWith(
            "prefixes that prompts share would be computed once without"
                + " stream.prefixes.shared_by: none");
  }

  @Test
  void theLeastRecentlyUsedPrefixIsGivenUpFirst() throws Throwable {
    start("  prefixes: { memory: 1700 }");
    say(prompt(0, 20, 1));
    say(prompt(0, 20, 2));
    say(prompt(0, 20, 1));
    say(prompt(0, 20, 3));
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isEqualTo(2 * 20 * 40);
    say(prompt(0, 20, 1));
    say(prompt(0, 20, 2));
    assertThat(prompts()).containsExactly("1x20", "1x20", "1x20", "1x20");
  }

  @Test
  void aPromptThatIsLargerThanAllThatIsKeptIsNotKept() throws Throwable {
    start("  prefixes: { memory: 1KiB }");
    say(prompt(0, 20, 1));
    say(prompt(0, 30, 2));
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isEqualTo(20 * 40);
  }

  @Test
  void nothingIsKeptWhereRequestsNeedTheMemory() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    TensorMemory.keepTensorsBelow(0);
    try {
      say(prompt(18, 6, 2));
      assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isZero();
    } finally {
      TensorMemory.keepTensorsBelow(Long.MAX_VALUE);
    }
  }

  @Test
  void streamsThatNeedTheMemoryHaveIt() throws Throwable {
    start(ROOM + "  cache_memory: 1600");
    say(prompt(18, 2, 1));
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isEqualTo(20 * 40);
    StreamReader parked = stream(prompt(18, 3, 2)).ask(1);
    Polling.await("its prompt has run", () -> parked.waiting() == 1);
    assertThat(prompts()).as("it has reserved 832 bytes").containsExactly("1x20", "1x21");
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isZero();
    assertSaysWhatALoopSays(parked, prompt(18, 3, 2));
  }

  @Test
  void streamsThatWaitForMemoryLoseThePrefixThatTheyWouldBeginWith() throws Throwable {
    start(ROOM + "  cache_memory: 2400");
    say(prompt(18, 2, 1));
    StreamReader parked = stream(HeldDecoder.prompt(3)).ask(1);
    Polling.await("its prompt has run", () -> parked.waiting() == 1);
    StreamReader large = stream(prompt(18, 46, 1)).ask(100);
    Polling.await("it waits for memory", () -> meter().cacheWaiting() == 1);
    assertThat(meter().tokens().orElseThrow().keptBytes().getAsLong()).isEqualTo(20 * 40);
    parked.leave();
    assertSaysWhatALoopSays(large, prompt(18, 46, 1));
    assertThat(prompts()).containsExactly("1x20", "1x3", "1x64");
  }

  @Test
  void whoLeavesBeforeThePromptHasRunLeavesNothing() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    decoder().held().hold();
    StreamReader left = stream(prompt(18, 6, 2)).ask(1);
    held().awaitRun();
    StreamReader waiting = stream(prompt(18, 7, 3)).ask(1);
    decoder().settle();
    left.leave();
    waiting.leave();
    decoder().settle();
    held().open();
    say(prompt(18, 7, 3));
    assertThat(meter().tokens().orElseThrow().reused().getAsLong()).isEqualTo(18);
  }

  @Test
  void aDeadlineThatPassesBehindAPrefixEndsTheStream() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    held().hold();
    long[] prompt = prompt(18, 6, 2);
    StreamReader late =
        decoder().stream(
                Deadline.after(Duration.ofMillis(200), System.nanoTime()),
                HeldDecoder.tokens(Shape.of(1, prompt.length), prompt))
            .ask(1);
    assertThatThrownBy(late::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    held().open();
    say(prompt);
  }

  @Test
  void aPromptWithAMaskOfItsOwnIsComputedFromItsBeginning() throws Throwable {
    start("");
    say(prompt(18, 4, 1));
    var mask = new long[22];
    Arrays.fill(mask, 3, 22, 1);
    decoder().stream(
            HeldDecoder.tokens(Shape.of(1, 22), prompt(18, 4, 1)),
            new NamedTensor("attention_mask", Tensors.integers(Shape.of(1, 22), mask)))
        .ask(100)
        .end();
    say(prompt(18, 4, 1));
    assertThat(prompts()).containsExactly("1x22", "1x22");
  }

  @Test
  void halfPrecisionIsKeptToo() throws Throwable {
    folder =
        new MaskedDecoder(Positions.GIVEN, MaskedDecoder.FLOAT16)
            .writeTo(models, "decoder", STEPS, "");
    decoder = new HeldDecoder(folder, HeldDecoder.config(folder), "input_ids");
    say(prompt(18, 4, 1));
    say(prompt(18, 6, 2));
    assertThat(prompts()).containsExactly("1x22", "1x6");
  }

  @Test
  void aModelWhoseCachesCannotBeCutComputesEachPrompt() throws Throwable {
    start(Positions.OF_STEP, "");
    say(prompt(18, 4, 1));
    say(prompt(18, 4, 1));
    assertThat(prompts()).containsExactly("1x22", "1x22");
  }
}
