package dev.sluice.loadtest.generator;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code h2load} prints at the end of a round.
 *
 * @param rate answers per second
 * @param done requests whose streams ended
 * @param failed those with an error status, an error or a timeout among them
 * @param errored those among them that never got a whole answer
 * @param dataBytes of DATA frames, or of bodies
 */
record H2loadSummary(double rate, long done, long failed, long errored, long dataBytes) {
  private static final Pattern RATE = Pattern.compile("finished in [^,]+, ([\\d.]+) req/s");
  private static final Pattern REQUESTS =
      Pattern.compile("requests: .* (\\d+) done, \\d+ succeeded, (\\d+) failed, (\\d+) errored");
  private static final Pattern DATA = Pattern.compile("\\((\\d+)\\) data");

  static H2loadSummary parse(String output) {
    Matcher requests = find(REQUESTS, output);
    return new H2loadSummary(
        Double.parseDouble(find(RATE, output).group(1)),
        Long.parseLong(requests.group(1)),
        Long.parseLong(requests.group(2)),
        Long.parseLong(requests.group(3)),
        Long.parseLong(find(DATA, output).group(1)));
  }

  /**
   * Refuses a round with failed requests, or with answers that are too small to be good ones.
   *
   * @param answerSize bytes of DATA in a good answer
   */
  void requireGood(int answerSize) {
    if (done == 0 || failed > 0 || dataBytes < done * answerSize) {
      throw new GeneratorException(
          "not every request had a good answer of %d bytes: %s".formatted(answerSize, this));
    }
  }

  private static Matcher find(Pattern pattern, String output) {
    Matcher matcher = pattern.matcher(output);
    if (!matcher.find()) {
      throw new GeneratorException("h2load did not say '" + pattern + "': " + output);
    }
    return matcher;
  }
}
