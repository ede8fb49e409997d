package dev.sluice.protocol.v1.http;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One protocol's part of the paths below {@code /v1}. Where two dialects are mounted, both write
 * their part of a report, and the first finds the words for failures.
 *
 * <p>Stateless; any thread.
 */
public interface V1Dialect {
  /** What an {@code inputs} value means in a predict request. */
  enum Inputs {
    /** Whole tensors, answered under {@code outputs}. */
    COLUMNS,
    /** Rows, as {@code instances}, answered under {@code predictions}. */
    ROWS
  }

  /**
   * A refusal that no model has to do with.
   *
   * @param status the HTTP status
   * @param key the member of the body that holds the text
   * @param text for the client
   */
  record Refusal(int status, String key, String text) {
    public Refusal {
      text = BoundedText.ofError(text);
    }

    public Refusal(int status, String text) {
      this(status, "error", text);
    }
  }

  /** Whether the protocol has such a request. */
  boolean speaks(V1Request request);

  /** What it takes {@code inputs} for. */
  Inputs inputs();

  /**
   * Answers a verb other than predict, for a request that it {@link #speaks}.
   *
   * @return the body of the answer, or an {@link InferenceException}
   */
  default Future<Buffer> call(
      HttpExchange exchange, ModelSelector model, Verb verb, DataPlane data) {
    throw new IllegalStateException("the dialect has no verb " + verb);
  }

  /**
   * What the body of a call may be wrapped in, as its headers say.
   *
   * @param model the name of the model that is called
   * @throws InferenceException with INVALID_ARGUMENT if it comes in a form that is not taken
   */
  default Optional<Envelope> envelope(HttpExchange exchange, String model) {
    return Optional.empty();
  }

  /** Whether a model that cannot be asked is reported whatever the body is. */
  default boolean looksForTheModelFirst() {
    return false;
  }

  /** Whether an empty list of rows is answered with an empty list. */
  default boolean takesNoRows() {
    return false;
  }

  /** Whether a float that is a whole number, such as {@code 2.0}, may stand for an integer. */
  default boolean takesWholeFloats() {
    return false;
  }

  /** Whether numbers that are not finite are written as {@code null}, and not by their names. */
  default boolean writesNulls() {
    return false;
  }

  /** Whether the values of an input or an output have a form in JSON. */
  default boolean carries(TensorSpec tensor) {
    return tensor.type().isCommon();
  }

  /**
   * Begins to keep a predict request, before the model is asked.
   *
   * @return takes the response, which it borrows; null if the request is not kept
   */
  default @Nullable Consumer<InferenceResponse> keep(InferenceRequest request) {
    return null;
  }

  /**
   * Requires that a signature may be used to predict.
   *
   * @throws InferenceException if not
   */
  default void requirePredict(ModelMetadata model, Signature signature) {}

  /** Whose fault it is that a model's outputs are no rows. */
  default ErrorCode notRows() {
    return ErrorCode.INVALID_ARGUMENT;
  }

  /** Writes its members of a report, separated by commas, without the braces around them. */
  void write(V1Report report, JsonWriter out);

  /**
   * What to answer a request that no dialect here has.
   *
   * @param target the request's path and query as they were sent
   * @param path what the path stands for, whatever the method; empty if nothing
   */
  Refusal noSuchRequest(HttpMethod method, String target, Optional<V1Request> path);

  /**
   * Why there is no report on the versions that were asked for, if there is none.
   *
   * @param found what is known of them; empty if there is no such model, version or label
   */
  Optional<InferenceException> refuse(ModelSelector asked, Optional<V1Report.Versions> found);

  /** What to tell of a model that was asked for and takes no requests. */
  InferenceException refuse(ModelSelector asked, ModelLookup.Missed missed);

  /** Whether it answers browsers that ask before a page's request, on all of the paths. */
  default boolean answersPreflights() {
    return false;
  }

  /** What to tell of a body that could not be read as a whole, its coding undone. */
  default Throwable refuse(Throwable unread) {
    return unread;
  }

  /** What to tell of a body that is not JSON. */
  InferenceException refuse(JsonException wrong, boolean emptyBody);

  /**
   * What to tell of a value that is not a list.
   *
   * @param key the member that should be one
   * @param document the whole body, as messages show it
   */
  InferenceException refuseNoList(String key, String document);
}
