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
public interface V1Dialect extends V1Reporter {
  /** The meaning of {@code inputs} in a predict request. */
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

  /** Returns the meaning of {@code inputs}. */
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
   * Returns the envelope that the body of a call may have, as its headers say.
   *
   * @param model the name of the model that is called
   * @throws InferenceException with INVALID_ARGUMENT if it comes in a form that is not taken
   */
  default Optional<Envelope> envelope(HttpExchange exchange, String model) {
    return Optional.empty();
  }

  /** Returns whether a model that takes no requests is reported before the body is read. */
  default boolean looksForTheModelFirst() {
    return false;
  }

  /** Returns whether an empty list of rows is answered with an empty list. */
  default boolean takesNoRows() {
    return false;
  }

  /**
   * Returns whether a float that is a whole number, such as {@code 2.0}, may stand for an integer.
   */
  default boolean takesWholeFloats() {
    return false;
  }

  /**
   * Returns whether numbers that are not finite are written as {@code null}, and not by their
   * names.
   */
  default boolean writesNulls() {
    return false;
  }

  /** Returns whether the values of an input or an output have a form in JSON. */
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

  /** Returns whether an answer by rows has one for each row of the request, or is an error. */
  default boolean answersEachRow() {
    return false;
  }

  /** Returns the error for outputs of a model that are no rows, with the side that is at fault. */
  default ErrorCode notRows() {
    return ErrorCode.INVALID_ARGUMENT;
  }

  /**
   * Returns the error for a request that no dialect here has.
   *
   * @param target the request's path and query as they were sent
   * @param path what the path stands for, whatever the method; empty if nothing
   */
  Refusal noSuchRequest(HttpMethod method, String target, Optional<V1Request> path);

  /**
   * Returns the error for a missing report on the versions that were asked for; empty if there is a
   * report.
   *
   * @param found what is known of them; empty if there is no such model, version or label
   */
  Optional<InferenceException> refuse(ModelSelector asked, Optional<V1Report.Versions> found);

  /** Returns the error for a model that takes no requests. */
  InferenceException refuse(ModelSelector asked, ModelLookup.Missed missed);

  /** Returns whether it answers CORS preflight requests, on all of the paths. */
  default boolean answersPreflights() {
    return false;
  }

  /** Returns the error for a body that could not be read as a whole or decompressed. */
  default Throwable refuse(Throwable unread) {
    return unread;
  }

  /** Returns the error for a body that is not JSON. */
  InferenceException refuse(JsonException wrong, boolean emptyBody);

  /**
   * Returns the error for a value that is not a list.
   *
   * @param key the member that should be one
   * @param document the whole body, as messages show it
   */
  InferenceException refuseNoList(String key, String document);
}
