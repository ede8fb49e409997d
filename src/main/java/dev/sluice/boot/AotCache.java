package dev.sluice.boot;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cache of loaded classes that the start script has the Java VM use, see
 * src/docs/operate/start.md.
 */
final class AotCache {
  private static final Logger LOG = LoggerFactory.getLogger(AotCache.class);
  private static final String FLAG = "-XX:AOTCache=";

  /** In which the start script names a cache that it leaves out, as the jars have changed. */
  private static final String PASSED_BY = "sluice.aot.unused";

  private AotCache() {}

  /** Logs a cache that there is and that this process does not use. */
  static void check() {
    Optional.ofNullable(System.getProperty(PASSED_BY))
        .or(() ->
            unused(
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                System.getProperty("java.vm.info", "")))
        .ifPresent(file ->
            LOG.info(
                "starts without the AOT cache {}: it was made for another Java, other jars or"
                    + " other flags; sluice aot-cache makes it again",
                file));
  }

  /**
   * Returns the file of a cache that the Java VM was started with and does not use.
   *
   * @param info what the Java VM says of itself: with "sharing" while it uses a cache
   */
  static Optional<String> unused(List<String> arguments, String info) {
    return arguments.stream()
        .filter(argument -> argument.startsWith(FLAG) && !info.contains("sharing"))
        .map(argument -> argument.substring(FLAG.length()))
        .findFirst();
  }
}
