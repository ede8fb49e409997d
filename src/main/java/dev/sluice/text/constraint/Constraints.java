package dev.sluice.text.constraint;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.TokenBytes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.lucene.util.automaton.Automaton;
import org.jspecify.annotations.Nullable;

/**
 * The compiled constraints of one model. Those in use are shared by the texts that have the same
 * one, and a few are kept for the next; together they take bounded memory, beyond which a further
 * one is refused. Any thread; compiling blocks.
 *
 * <p>Owner: the model, which closes it when it is unloaded. Texts that go on then are not
 * disturbed.
 */
public final class Constraints implements AutoCloseable {
  /** All, as far as the heap is not small: what clients may hold is to fit into both. */
  private static final long MOST_BYTES = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

  private static final long MOST_UNUSED_BYTES = MOST_BYTES / 4;
  private static final int MOST_UNUSED = 16;

  /** Constraints that are compiled or wait for it: each holds a worker of the server. */
  private static final int MOST_COMPILING = 4;

  /**
   * What is on its way while one is compiled may take some ten MiB: one at a time for all models.
   */
  private static final ReentrantLock COMPILER = new ReentrantLock(true);

  private final Optional<TokenBytes> vocabulary;

  /** Empty if calls cannot be found in what the model writes. */
  private final Optional<CallHeads> heads;

  /** The least recently used one first. */
  private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  /** Made with the first constraint, while compiling. */
  private @Nullable TokenOrder tokens;

  private int compiling;
  private boolean closed;

  /** The kinds of constraints, by the names of their parameters. */
  public enum Kind {
    REGEX("regex"),
    JSON_SCHEMA("json_schema"),
    TOOLS("tools"),

    /** Calls in the form in which the model writes them by itself. */
    STRICT_TOOLS("strict_tools");

    private final String parameter;

    Kind(String parameter) {
      this.parameter = parameter;
    }

    /** Returns the name of the parameter. */
    public String parameter() {
      return parameter;
    }

    private Automaton language(String text, Languages languages) {
      return switch (this) {
        case REGEX -> RegexParser.whole(text, languages);
        case JSON_SCHEMA -> JsonSchemaCompiler.compile(text, languages);
        case TOOLS -> ToolCallCompiler.compile(text, languages);
        case STRICT_TOOLS -> ToolCallCompiler.rests(text, languages);
      };
    }
  }

  private record Key(Kind kind, String text) {}

  private static final class Entry {
    final CompletableFuture<Constraint> compiled = new CompletableFuture<>();

    /** Texts that it holds for, or that wait for it. */
    int users = 1;

    /** Bytes that it holds; 0 until it is compiled. */
    long size;
  }

  /**
   * @param vocabulary of the model; empty if its bytes are not known: every constraint is refused
   * @param calls the form in which the model writes tool calls; empty if that is not known
   */
  public Constraints(Optional<TokenBytes> vocabulary, Optional<ToolCallForm> calls) {
    this.vocabulary = vocabulary;
    this.heads = vocabulary.flatMap(tokens -> calls.map(form -> new CallHeads(tokens, form)));
  }

  /**
   * Returns whether a constraint of a kind has anything to hold for: where calls cannot be found in
   * what a model writes, none is strict.
   */
  public boolean haveUseFor(Kind kind) {
    return kind != Kind.STRICT_TOOLS || heads.isPresent();
  }

  /**
   * Begins a text that a constraint holds for; the caller's to close. Compiles the constraint if no
   * other text has it: that takes up to some hundred milliseconds.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter, if it is wrong, not
   *     supported or too large, or with RESOURCE_EXHAUSTED if those in use leave no memory, or many
   *     are compiled already
   */
  public ConstrainedText begin(Kind kind, String text) {
    if (vocabulary.isEmpty()) {
      throw InferenceException.invalid(
          "parameter \"%s\" is not supported: the decoder in the model's tokenizer is"
                  .formatted(kind.parameter)
              + " of a kind whose bytes are not known");
    }
    var key = new Key(kind, text);
    var mine = new Entry();
    Entry entry = enter(key, mine);
    if (entry == mine) {
      compile(key, mine);
    }
    try {
      Constraint constraint = entry.compiled.join();
      return kind == Kind.STRICT_TOOLS
          ? new TextWithCalls(constraint, heads.orElseThrow(), () -> release(entry))
          : new WholeText(constraint, () -> release(entry));
    } catch (CompletionException e) {
      if (e.getCause() instanceof InferenceException why) {
        throw why;
      }
      throw e;
    }
  }

  /** Returns the entry that there is, with one user more, or the new one. */
  private synchronized Entry enter(Key key, Entry mine) {
    Entry known = entries.get(key);
    if (known != null) {
      known.users++;
      return known;
    }
    if (compiling >= MOST_COMPILING) {
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "parameter \"%s\": %d other constraints are being compiled for the model"
              .formatted(key.kind.parameter, compiling));
    }
    compiling++;
    entries.put(key, mine);
    return mine;
  }

  private void compile(Key key, Entry entry) {
    COMPILER.lock();
    try {
      keep(key, entry, compiled(key));
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        entries.remove(key);
      }
      entry.compiled.completeExceptionally(e);
    } finally {
      COMPILER.unlock();
      synchronized (this) {
        compiling--;
      }
    }
  }

  private Constraint compiled(Key key) {
    var languages = new Languages();
    try {
      return new Constraint(key.kind.language(key.text, languages), languages, tokens());
    } catch (InvalidConstraint e) {
      throw InferenceException.invalid(
          "parameter \"%s\" %s".formatted(key.kind.parameter, e.getMessage()));
    }
  }

  /** While compiling. */
  private TokenOrder tokens() {
    TokenOrder known = tokens;
    if (known == null) {
      known = new TokenOrder(vocabulary.orElseThrow());
      tokens = known;
    }
    return known;
  }

  private synchronized void keep(Key key, Entry entry, Constraint constraint) {
    long size = constraint.size();
    evict(size);
    if (bytes() + size > MOST_BYTES) {
      constraint.close();
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED,
          ("parameter \"%s\": constraints in use take %d bytes, and this one takes %d; a model's"
                  + " take %d at most")
              .formatted(key.kind.parameter, bytes(), size, MOST_BYTES));
    }
    entry.size = size;
    entry.compiled.complete(constraint);
  }

  private synchronized void release(Entry entry) {
    entry.users--;
    evict(0);
  }

  /** Frees unused ones, the least recently used first, until few are left beside a new one. */
  private void evict(long room) {
    List<Entry> unused = entries.values().stream().filter(entry -> entry.users == 0).toList();
    long all = bytes();
    long unusedBytes = unused.stream().mapToLong(entry -> entry.size).sum();
    int left = unused.size();
    for (Entry entry : unused) {
      if (!closed
          && left <= MOST_UNUSED
          && unusedBytes <= MOST_UNUSED_BYTES
          && all + room <= MOST_BYTES) {
        return;
      }
      entries.values().remove(entry);
      entry.compiled.join().close();
      all -= entry.size;
      unusedBytes -= entry.size;
      left--;
    }
  }

  private long bytes() {
    return entries.values().stream().mapToLong(entry -> entry.size).sum();
  }

  /** Frees those that no text uses, and from now on each one when no text uses it any more. */
  @Override
  public synchronized void close() {
    closed = true;
    evict(0);
  }
}
