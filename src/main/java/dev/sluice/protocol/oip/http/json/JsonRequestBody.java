package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.oip.RequestParameters;
import dev.sluice.transport.Body;

/**
 * The JSON body of a request with tensors, an id and parameters, read in one pass. Owns the tensors
 * until {@link #handOver}, or else until {@link #close}. One thread.
 */
public abstract class JsonRequestBody implements AutoCloseable {
  /** Stands where reading goes on. */
  protected final JsonCursor in;

  private final RequestParameters parameters = new RequestParameters(JsonParameters::wrongType);
  private String id = "";
  private boolean owned = true;

  /**
   * @param json borrowed while it is read
   */
  protected JsonRequestBody(Body json) {
    this.in = new JsonCursor(json);
  }

  /**
   * Reads the body; frees the tensors that were read if that fails.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not JSON, or not a request
   */
  protected final void readWhole() {
    try {
      read();
    } catch (JsonException e) {
      close();
      throw JsonFields.malformed(e);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Reads the body from its first byte on. */
  protected abstract void read();

  /** Frees the tensors that were read. */
  protected abstract void closeTensors();

  /** Sets the caller's name for the request. */
  protected final void id(String given) {
    id = given;
  }

  /** Returns the caller's name for the request; empty if it gave none. */
  public final String id() {
    return id;
  }

  /** Returns the parameters of the request. */
  public final RequestParameters parameters() {
    return parameters;
  }

  /** Says that the caller has taken the tensors over. */
  public final void handOver() {
    owned = false;
  }

  /** Frees the tensors, unless they were handed over. Idempotent. */
  @Override
  public final void close() {
    if (owned) {
      owned = false;
      closeTensors();
    }
  }
}
