package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeSession;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReopenableSessionTest {
  private final List<String> calls = new ArrayList<>();
  private boolean fails;
  private boolean unreadable;
  private boolean changed;

  /** Like a native session, it must not be touched once it is closed. */
  private final class NativeSession implements ModelSession {
    private final String name;
    private boolean closed;

    NativeSession(String name) {
      this.name = name;
    }

    private void call(String what) {
      if (closed) {
        throw new AssertionError(name + " is closed, and was called: " + what);
      }
      calls.add(name + " " + what);
    }

    @Override
    public ModelMetadata metadata() {
      if (unreadable && !name.equals("first")) {
        throw new InferenceException(ErrorCode.INTERNAL, "no signature");
      }
      return FakeSession.METADATA;
    }

    @Override
    public RunTimeBasis runTimeBasis() {
      return changed && !name.equals("first") ? RunTimeBasis.VALUES : RunTimeBasis.SIZE;
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      call("run");
      return List.of();
    }

    @Override
    public void interrupt() {
      call("interrupt");
    }

    @Override
    public void resume() {
      call("resume");
    }

    @Override
    public boolean abort(String why) {
      call("abort");
      return true;
    }

    @Override
    public void close() {
      call("close");
      closed = true;
    }
  }

  private ModelSession next() {
    if (fails) {
      throw new InferenceException(ErrorCode.UNAVAILABLE, "there is no such file");
    }
    return new NativeSession("second");
  }

  private final ReopenableSession session =
      new ReopenableSession(this::next, new NativeSession("first"));

  @Test
  void aSessionThatCouldNotBeOpenedAgainIsNotTouchedWhenItsModelIsUnloaded() {
    fails = true;
    assertThatExceptionOfType(InferenceException.class).isThrownBy(session::reopen);

    session.interrupt();
    session.resume();
    assertThat(session.abort("it hangs")).isFalse();
    session.close();

    assertThat(calls).containsExactly("first close");
  }

  @Test
  void aSessionThatFailedToOpenIsOpenedByTheNextAttempt() {
    fails = true;
    assertThatExceptionOfType(InferenceException.class).isThrownBy(session::reopen);
    fails = false;

    session.reopen();
    session.interrupt();
    session.close();

    assertThat(calls).containsExactly("first close", "second interrupt", "second close");
  }

  @Test
  void aGraphOfWhichRunsMayTakeAnyTimeNowIsAnotherModel() {
    changed = true;
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(session::reopen)
        .withMessageContaining("files have changed");
    ReopenableSession replacement = ReopenableSession.unopened(this::next, session);
    assertThatExceptionOfType(InferenceException.class).isThrownBy(replacement::reopen);

    assertThat(calls).containsExactly("first close", "second close", "second close");
  }

  @Test
  void aSessionWhoseMetadataCannotBeReadIsClosed() {
    unreadable = true;
    assertThatExceptionOfType(InferenceException.class).isThrownBy(session::reopen);
    session.close();

    assertThat(calls).containsExactly("first close", "second close");
  }
}
