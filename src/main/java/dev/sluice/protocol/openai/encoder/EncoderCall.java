package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** What a body asks for. Owner of its texts until they are taken; one thread at a time. */
interface EncoderCall extends AutoCloseable {
  String TEXT = "text";

  /** Optional output of encoders: how many tokens each text has. */
  String TOKENS = "tokens";

  /** Returns the name of the model. */
  String model();

  /** Returns what the call counts as. */
  Api api();

  /** Returns the texts, now the caller's. */
  List<NamedTensor> take();

  /** Returns the output that the answer is made of. */
  String output();

  /**
   * Returns the signature that is called.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if the model is of
   *     another kind
   */
  Signature signature(ModelLease model);

  /** Returns the names of the outputs to compute. */
  default List<String> outputs(Signature signature) {
    return signature.output(TOKENS).isPresent() ? List.of(output(), TOKENS) : List.of(output());
  }

  /**
   * Returns the body of the answer; borrows the response.
   *
   * @param id names the answer
   */
  Buffer answer(InferenceResponse response, String id);

  @Override
  void close();
}
