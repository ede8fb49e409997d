import dev.sluice.extension.Answer;

/** A class that is left out of the jar. */
final class Missing {
  private Missing() {}

  static Answer answer() {
    return Answer.of();
  }
}
