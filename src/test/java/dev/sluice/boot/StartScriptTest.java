package dev.sluice.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs {@code bin/sluice} with a java that prints its arguments, on a made-up machine. */
class StartScriptTest {
  private static final Path SCRIPT = Path.of("src/dist/bin/sluice");

  @TempDir private Path root;

  @BeforeEach
  void makeMachine() throws IOException {
    write("java/bin/java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    assertThat(root.resolve("java/bin/java").toFile().setExecutable(true)).isTrue();
    write("java/release", "JAVA_VERSION=\"25.0.3\"\n");
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  /** A machine whose {@code nproc} says this. */
  private Map<String, String> withCores(int count) throws IOException {
    write("programs/nproc", "#!/bin/sh\necho " + count + "\n");
    assertThat(root.resolve("programs/nproc").toFile().setExecutable(true)).isTrue();
    return Map.of("PATH", root.resolve("programs") + ":" + System.getenv("PATH"));
  }

  private List<String> flags(Map<String, String> environment) throws IOException {
    return flags(SCRIPT, environment);
  }

  private List<String> flags(Path script, Map<String, String> environment) throws IOException {
    return output(script, environment, "serve");
  }

  private List<String> output(Path script, Map<String, String> environment, String argument)
      throws IOException {
    var builder = new ProcessBuilder("sh", script.toString(), argument);
    builder.redirectErrorStream(true).environment().remove("SLUICE_JAVA_OPTS");
    builder.environment().put("JAVA_HOME", root.resolve("java").toString());
    builder.environment().put("SLUICE_SYSTEM_ROOT", root.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
      return lines;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
  }

  private List<String> flags() throws IOException {
    return flags(Map.of());
  }

  @Test
  void withoutACgroupTheMachinesMemoryIsShared() throws IOException {
    assertThat(flags())
        .contains("-Xmx4095m", "-XX:MaxDirectMemorySize=3276m", "-XX:+ExitOnOutOfMemoryError")
        .as("what native code has freed is given back")
        .contains("-XX:TrimNativeHeapInterval=60000", "-XX:+UseAdaptiveSizePolicyWithSystemGC")
        .contains("-XX:-ShrinkHeapInSteps", "-XX:MaxHeapFreeRatio=30")
        .endsWith("dev.sluice.boot.Main", "serve");
  }

  /** Otherwise glibc keeps them, and what it keeps is counted nowhere. */
  @Test
  void largeNativeBlocksGoBackToTheSystemAtOnce() throws IOException {
    write("java/bin/java", "#!/bin/sh\necho \"threshold $MALLOC_MMAP_THRESHOLD_\"\n");
    assertThat(flags()).containsExactly("threshold 1048576");
    assertThat(flags(Map.of("MALLOC_MMAP_THRESHOLD_", "65536"))).containsExactly("threshold 65536");
  }

  @Test
  void aContainerOfCgroupVersion2SeesItsLimitAtTheRoot() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "536870912\n");
    assertThat(flags()).contains("-Xmx127m", "-XX:MaxDirectMemorySize=102m");
  }

  @Test
  void theSmallestOfNestedLimitsCounts() throws IOException {
    write("proc/self/cgroup", "0::/pods.slice/pod1/sluice\n");
    write("sys/fs/cgroup/pods.slice/memory.max", "4294967296\n");
    write("sys/fs/cgroup/pods.slice/pod1/memory.max", "1073741824\n");
    write("sys/fs/cgroup/pods.slice/pod1/sluice/memory.max", "max\n");
    assertThat(flags()).contains("-Xmx255m", "-XX:MaxDirectMemorySize=204m");
  }

  @Test
  void cgroupVersion1IsReadToo() throws IOException {
    write("proc/self/cgroup", "3:cpu,cpuacct:/a\n2:memory:/docker/4711\n0::/\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "2147483648\n");
    assertThat(flags()).contains("-Xmx511m", "-XX:MaxDirectMemorySize=409m");
  }

  @Test
  void aContainerOfCgroupVersion1ThatSeesItsOuterPathFindsItsLimitAtTheRoot() throws IOException {
    write("proc/self/cgroup", "2:memory:/kubepods/pod1/4711\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
    assertThat(flags()).contains("-Xmx511m");
  }

  @Test
  void aLimitAboveTheMachinesMemoryIsNone() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "999999999999\n");
    assertThat(flags()).contains("-Xmx4095m");
  }

  @Test
  void aTinyContainerHasSharesThatTheServerCanStartWith() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "134217728\n");
    assertThat(flags()).contains("-Xmx96m", "-XX:MaxDirectMemorySize=64m");
  }

  @Test
  void flagsOfTheCallersOwnComeLastAndBeatTheScripts() throws IOException {
    List<String> flags = flags(Map.of("SLUICE_JAVA_OPTS", "-Xmx2g -XX:-ExitOnOutOfMemoryError"));
    assertThat(flags.indexOf("-Xmx2g")).isGreaterThan(flags.indexOf("-Xmx4095m"));
    assertThat(flags.indexOf("-XX:-ExitOnOutOfMemoryError"))
        .isGreaterThan(flags.indexOf("-XX:+ExitOnOutOfMemoryError"));
  }

  @Test
  void anotherCollectorTakesThePlaceOfTheScripts() throws IOException {
    assertThat(flags(withCores(3))).contains("-XX:+UseParallelGC");
    assertThat(flags(Map.of("SLUICE_JAVA_OPTS", "-Xmx1g -XX:+UseG1GC")))
        .contains("-XX:+UseG1GC")
        .doesNotContain("-XX:+UseParallelGC", "-XX:+UseSerialGC");
  }

  @Test
  void upToTwoCoresCollectWithOneThreadAndLittleMemory() throws IOException {
    assertThat(flags(withCores(2)))
        .contains("-XX:InitialRAMPercentage=0.2441")
        .containsAll(ChildServer.ON_TWO_CORES)
        .doesNotContain("-XX:+UseParallelGC");
    var own = new HashMap<>(withCores(2));
    own.put("SLUICE_JAVA_OPTS", "-XX:+UseParallelGC");
    assertThat(flags(own)).contains("-Xmn64m").doesNotContain("-XX:+UseSerialGC");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          100000 100000 | -Xmn16m
          200000 100000 | -Xmn16m
          210000 100000 | -Xmn96m
          80000 20000   | -Xmn128m
          max 100000    | -Xmn2048m
          """)
  void theQuotaOfACgroupCountsAsCoresRoundedUp(String quota, String young) throws IOException {
    write("proc/meminfo", "MemTotal:       167772160 kB\n");
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/cpu.max", quota + "\n");
    assertThat(flags(withCores(64))).contains(young);
  }

  @Test
  void theSmallestOfNestedQuotasCounts() throws IOException {
    write("proc/self/cgroup", "0::/pods.slice/pod1\n");
    write("sys/fs/cgroup/pods.slice/cpu.max", "100000 100000\n");
    write("sys/fs/cgroup/pods.slice/pod1/cpu.max", "800000 100000\n");
    assertThat(flags(withCores(64))).contains("-XX:+UseSerialGC");
  }

  @Test
  void aQuotaAboveTheMachinesCoresIsNone() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/cpu.max", "800000 100000\n");
    assertThat(flags(withCores(3))).contains("-Xmn96m");
  }

  @Test
  void quotasOfCgroupVersion1AreReadToo() throws IOException {
    write("proc/self/cgroup", "3:cpu,cpuacct:/docker/4711\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assertThat(flags(withCores(64))).contains("-XX:+UseParallelGC");
    write("sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "150000\n");
    write("sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
    assertThat(flags(withCores(64))).contains("-XX:+UseSerialGC");
  }

  /** A smallest heap above the largest one would end the start. */
  @Test
  void noHeapIsSoSmallThatItConflictsWithWhereItBegins() throws IOException {
    assertThat(flags(withCores(2))).noneMatch(flag -> flag.startsWith("-Xms"));
  }

  @Test
  void newObjectsGetAPartOfTheHeapForEachCoreButNeverMoreThanAThird() throws IOException {
    assertThat(flags(withCores(3))).contains("-Xmn96m");
    assertThat(flags(withCores(500))).contains("-Xmn1365m");
  }

  @Test
  void anotherCollectorDividesTheHeapByItself() throws IOException {
    assertThat(flags(Map.of("SLUICE_JAVA_OPTS", "-XX:+UseG1GC")))
        .noneMatch(flag -> flag.startsWith("-Xmn"))
        .noneMatch(flag -> flag.startsWith("-XX:InitialRAMPercentage"))
        .noneMatch(flag -> flag.endsWith("HeapFreeRatio=30"));
  }

  @Test
  void theJarsAreInOneOrderOnEveryFileSystem() throws IOException {
    Path home = distribution("zeta.jar", "alpha.jar", "Beta.jar");
    List<String> flags = flags(home.resolve("bin/sluice"), Map.of());
    assertThat(flags.get(flags.indexOf("--class-path") + 1))
        .isEqualTo(
            Stream.of("Beta.jar", "alpha.jar", "zeta.jar")
                .map(jar -> home.resolve("lib").resolve(jar).toString())
                .collect(Collectors.joining(":")));
  }

  @Test
  void aCacheIsUsedIfItIsThereAndTheCallersFlagsDoNotSpeakOfOne() throws IOException {
    Path home = distribution("sluice.jar");
    Path script = home.resolve("bin/sluice");
    assertThat(flags(script, Map.of())).noneMatch(flag -> flag.startsWith("-XX:AOTCache"));
    Path cache = Files.writeString(home.resolve("lib/sluice.aot"), "made");
    Path known = home.resolve("lib/sluice.jar");
    Files.writeString(
        home.resolve("lib/sluice.aot-jars"),
        "sluice.jar %d %d\n"
            .formatted(Files.size(known), Files.getLastModifiedTime(known).to(TimeUnit.SECONDS)));
    assertThat(flags(script, Map.of())).contains("-XX:AOTCache=" + cache);
    Path jar = Files.writeString(home.resolve("lib/other.jar"), "one");
    assertThat(flags(script, Map.of()))
        .contains("-Dsluice.aot.unused=" + cache)
        .noneMatch(flag -> flag.startsWith("-XX:AOTCache"));
    Files.delete(jar);
    for (String own :
        List.of("-XX:AOTCache=other.aot", "-Xmx1g -Xshare:off", "-XX:SharedArchiveFile=a.jsa")) {
      for (String variable : List.of("SLUICE_JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")) {
        assertThat(flags(script, Map.of(variable, own)))
            .as(variable + "=" + own)
            .doesNotContain("-XX:AOTCache=" + cache);
      }
    }
  }

  @Test
  void theJavaOfTheDistributionItselfComesFirst() throws IOException {
    Path home = distribution("sluice.jar");
    Path own = home.resolve("java/bin/java");
    Files.createDirectories(own.getParent());
    Files.writeString(own, "#!/bin/sh\necho its own\n");
    assertThat(own.toFile().setExecutable(true)).isTrue();
    Files.writeString(home.resolve("java/release"), "JAVA_VERSION=\"25.0.3\"\n");
    assertThat(flags(home.resolve("bin/sluice"), Map.of())).containsExactly("its own");
  }

  @Test
  void aFileOfArgumentsHasTheSameFlagsAndLeavesTheSizesToJava() throws IOException {
    Path home = distribution("sluice.jar", "second.jar");
    Files.writeString(home.resolve("lib/sluice.aot"), "made");
    Path script = home.resolve("bin/sluice");
    List<String> started = new ArrayList<>(flags(script, withCores(3)));
    started.removeAll(List.of("dev.sluice.boot.Main", "serve"));
    started.removeIf(
        flag -> flag.matches("-Xm[xn].*|-XX:MaxDirectMemorySize=.*|-XX:InitialRAMPercentage=.*"));
    List<String> options = new ArrayList<>(output(script, withCores(2), "java-options"));
    assertThat(options.remove("\"-XX:MaxRAMPercentage=25\"")).isTrue();
    assertThat(options).isEqualTo(started.stream().map(flag -> '"' + flag + '"').toList());
  }

  private Path distribution(String... jars) throws IOException {
    Path home = Files.createDirectories(root.resolve("a home")).toRealPath();
    Files.createDirectories(home.resolve("bin"));
    Files.createDirectories(home.resolve("lib"));
    Files.copy(SCRIPT, home.resolve("bin/sluice"));
    for (String jar : jars) {
      Files.createFile(home.resolve("lib").resolve(jar));
    }
    return home;
  }
}
