package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.testing.NamedCallers;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that changes the files of its regions while the server opens them. */
@Timeout(60)
class SharedMemoryRacesTest {
  private static final int ATTEMPTS = 3_000;
  private static final Caller ANYONE = new NamedCallers(1).of("");
  private static final String OWN = "own bytes";
  private static final String SECRET = "a secret.";

  @TempDir Path temp;
  private Path folder;
  private SharedMemoryRegions regions;

  @BeforeEach
  void open() throws IOException {
    folder = Files.createDirectory(temp.resolve("shm"));
    regions = SharedMemoryRegions.in(folder, 8, Duration.ofHours(1), System::nanoTime);
    Files.writeString(temp.resolve("secret"), SECRET);
  }

  private String content(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(OWN.length());
      regions.find(ANYONE, name).read(0, into);
      return new String(
          into.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  @Test
  void fileThatBecomesALinkWhileItIsOpenedNeverLeadsOut() throws Exception {
    var ended = new AtomicBoolean();
    int registered = 0;
    int refused = 0;
    try (var racer = Executors.newSingleThreadExecutor()) {
      var turns =
          racer.submit(() -> {
            Path next = folder.resolve("next");
            int done = 0;
            while (!ended.get()) {
              if (done++ % 2 == 0) {
                Files.writeString(next, OWN);
              } else {
                Files.createSymbolicLink(next, temp.resolve("secret"));
              }
              Files.move(next, folder.resolve("r"), StandardCopyOption.ATOMIC_MOVE);
            }
            return done;
          });
      for (int i = 0; i < ATTEMPTS; i++) {
        try {
          regions.register(ANYONE, "r", "/r", 0, OWN.length());
          registered++;
          assertThat(content("r")).isEqualTo(OWN);
        } catch (InferenceException e) {
          refused++;
        } finally {
          regions.unregisterAll(ANYONE);
        }
      }
      ended.set(true);
      assertThat(turns.get()).isPositive();
    }
    assertThat(registered + refused).isEqualTo(ATTEMPTS);
    assertThat(Files.readString(temp.resolve("secret"))).isEqualTo(SECRET);
  }

  @Test
  void filesOfTheServerItselfAndSemaphoresAreNoRegions() throws IOException {
    for (String name : new String[] {"sluice-4711-" + UUID.randomUUID(), "sem.lock"}) {
      Files.writeString(folder.resolve(name), OWN);
      for (String key : new String[] {name, "/" + name}) {
        assertThatThrownBy(() -> regions.register(ANYONE, "r", key, 0, 4))
            .hasMessageContaining("it is no region of a client");
      }
    }
    Files.writeString(folder.resolve("sluice-mine"), OWN);
    regions.register(ANYONE, "r", "sluice-mine", 0, 4);
    regions.close();
  }

  @Test
  void noIdentityHasMoreThanItsShareOfTheRegions() throws IOException {
    Files.writeString(folder.resolve("r"), OWN);
    var callers = new NamedCallers(0.5);
    for (int i = 0; i < 4; i++) {
      regions.register(callers.of("ada"), "r" + i, "r", 0, 4);
    }
    assertThatThrownBy(() -> regions.register(callers.of("ada"), "r4", "r", 0, 4))
        .hasMessageContaining("'ada' has 4 shared memory regions, the share of one identity")
        .hasMessageContaining("security.share");
    regions.register(callers.of("bob"), "r0", "r", 0, 4);
    regions.unregister(callers.of("ada"), "r0");
    regions.register(callers.of("ada"), "r4", "r", 0, 4);
    regions.close();
  }
}
