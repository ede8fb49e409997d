package dev.sluice.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import dev.sluice.inference.health.Liveness;
import dev.sluice.inference.health.OutOfMemory;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of memory is used up in a process of its own, which ends. */
class OutOfMemoryIT {
  enum Kind {
    HEAP {
      @Override
      void useUp() {
        while (true) {
          Kept.ALL.add(new byte[1 << 20]);
        }
      }
    },
    DIRECT {
      @Override
      void useUp() {
        while (true) {
          Kept.ALL.add(ByteBuffer.allocateDirect(1 << 20));
        }
      }
    },
    NETTY_DIRECT {
      @Override
      void useUp() {
        while (true) {
          PooledByteBufAllocator.DEFAULT.directBuffer(8 << 20);
        }
      }
    },
    THREADS {
      @Override
      void useUp() {
        throw new OutOfMemoryError("unable to create native thread: possibly out of memory");
      }
    };

    abstract void useUp();
  }

  /** What is never given back. */
  private static final class Kept {
    static final List<Object> ALL = new ArrayList<>();
  }

  /** Where memory is used up. */
  enum Place {
    EVENT_LOOP,
    NETTY_TASK,
    THREAD
  }

  /** The process that runs out of memory. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] arguments) throws InterruptedException {
      LogSetup.whileReadingSettings(_ -> SluiceConfig.DEFAULT);
      UncaughtFailures.endWhenOutOfMemory();
      Kind kind = Kind.valueOf(arguments[0]);
      Vertx vertx = Vertx.vertx().exceptionHandler(new UncaughtFailures(new Liveness()));
      switch (Place.valueOf(arguments[1])) {
        case EVENT_LOOP -> vertx.runOnContext(_ -> kind.useUp());
        case NETTY_TASK ->
            ((VertxInternal) vertx).nettyEventLoopGroup().next().execute(kind::useUp);
        case THREAD -> Thread.ofPlatform().daemon().start(kind::useUp);
      }
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void itEndsTheProcessOnEventLoops(Kind kind) throws IOException {
    assertEnds(kind, Place.EVENT_LOOP);
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "NETTY_DIRECT", "THREADS"})
  void itEndsTheProcessWhereNettyCatchesAndLogs(Kind kind) throws IOException {
    assertEnds(kind, Place.NETTY_TASK);
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "NETTY_DIRECT", "THREADS"})
  void itEndsTheProcessInOtherThreads(Kind kind) throws IOException {
    assertEnds(kind, Place.THREAD);
  }

  private static void assertEnds(Kind kind, Place place) throws IOException {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx48m",
                "-XX:MaxDirectMemorySize=24m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                kind.name(),
                place.name())
            .redirectErrorStream(true)
            .start();
    try {
      Stream<String> lines = new String(process.getInputStream().readAllBytes(), UTF_8).lines();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(OutOfMemory.EXIT_CODE);
      assertThat(lines)
          .singleElement()
          .asString()
          .containsAnyOf("sluice: out of memory, the process ends: ", "java.lang.OutOfMemoryError");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
  }
}
