package dev.sluice.text.jinja.value;

/**
 * A template that cannot be read or rendered. Has no stack trace: the text says where in the
 * template.
 */
public final class TemplateException extends RuntimeException {
  private final boolean raised;

  public TemplateException(String message) {
    this(message, false);
  }

  private TemplateException(String message, boolean raised) {
    super(message, null, false, false);
    this.raised = raised;
  }

  /** Makes the refusal that a template itself expresses, by {@code raise_exception}. */
  public static TemplateException raised(String message) {
    return new TemplateException(message, true);
  }

  /** Returns whether the template itself refuses what it was given. */
  public boolean isRaised() {
    return raised;
  }

  /** Returns the same with the line that it happened in. */
  public TemplateException at(int line) {
    return raised || text().startsWith("line ")
        ? this
        : new TemplateException("line " + line + ": " + text());
  }

  /** Returns what is wrong. */
  public String text() {
    String message = getMessage();
    return message == null ? "" : message;
  }
}
