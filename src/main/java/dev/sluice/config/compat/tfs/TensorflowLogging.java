package dev.sluice.config.compat.tfs;

import dev.sluice.config.binding.ProtoFields;
import java.util.List;
import java.util.Optional;

/**
 * The request log of a model, as a TensorFlow Serving model config file says. What it says is not
 * yet checked.
 *
 * @param type the kind of collector
 * @param filenamePrefix where its files begin; empty if not said
 * @param samplingRate the part of the requests that is kept
 */
public record TensorflowLogging(String type, String filenamePrefix, double samplingRate) {
  static Optional<TensorflowLogging> read(ProtoFields model) {
    return model.inner("logging_config").map(TensorflowLogging::of);
  }

  private static TensorflowLogging of(ProtoFields logging) {
    Optional<ProtoFields> collector = logging.inner("log_collector_config");
    return new TensorflowLogging(
        collector.flatMap(fields -> fields.text("type")).orElse(""),
        collector.flatMap(fields -> fields.text("filename_prefix")).orElse(""),
        logging.inner("sampling_config").map(TensorflowLogging::rate).orElse(0.0));
  }

  private static double rate(ProtoFields sampling) {
    List<Double> rates = sampling.decimals("sampling_rate");
    return rates.isEmpty() ? 0 : rates.getLast();
  }
}
