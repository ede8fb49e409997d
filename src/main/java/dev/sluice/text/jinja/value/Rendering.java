package dev.sluice.text.jinja.value;

import java.time.ZonedDateTime;
import java.util.function.Supplier;

/**
 * Limits of one rendering. A template is a program that came with a model, and a request is its
 * input: rendering ends, whatever both contain. One thread.
 */
public final class Rendering {
  /** Steps, and characters that are made, 16 for a step: a second or so. */
  private static final long MOST_WORK = 2_000_000;

  private static final int CHARACTERS_OF_STEP = 16;
  private static final int MOST_DEPTH = 64;

  private final int longest;
  private final Supplier<ZonedDateTime> now;
  private long work;
  private int depth;

  /**
   * @param longest characters that a text may have
   * @param now the time, for templates that write the date
   */
  public Rendering(int longest, Supplier<ZonedDateTime> now) {
    this.longest = longest;
    this.now = now;
  }

  public ZonedDateTime now() {
    return now.get();
  }

  /** Counts one step. */
  public void step() {
    work(1);
  }

  private void work(long more) {
    work += more;
    if (work > MOST_WORK) {
      throw new TemplateException("the template does not come to an end for this request");
    }
  }

  /**
   * Counts a text that is about to be made.
   *
   * @throws TemplateException if it is too long
   */
  public void text(long length) {
    bound(length);
    work(length / CHARACTERS_OF_STEP + 1);
  }

  /**
   * Bounds a text that grows.
   *
   * @throws TemplateException if it is too long
   */
  public void bound(long length) {
    if (length > longest) {
      throw new TemplateException("the text becomes longer than " + longest + " characters");
    }
  }

  /** Counts the elements of a list that is about to be made. */
  public void elements(long count) {
    if (count > longest) {
      throw new TemplateException("a list becomes longer than " + longest + " elements");
    }
    work(count);
  }

  /** Returns what is made one call deeper. */
  public <T> T deeper(Supplier<T> call) {
    if (depth == MOST_DEPTH) {
      throw new TemplateException("calls are deeper than " + MOST_DEPTH);
    }
    depth++;
    try {
      return call.get();
    } finally {
      depth--;
    }
  }
}
