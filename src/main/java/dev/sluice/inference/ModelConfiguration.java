package dev.sluice.inference;

/**
 * A model's configuration in Triton's form, as protocols show it: complete, also for a model that
 * was configured in another form. Immutable; any thread.
 */
public interface ModelConfiguration {
  /** The configuration of what has none: nothing is said. */
  ModelConfiguration NONE =
      new ModelConfiguration() {
        @Override
        public byte[] message() {
          return new byte[0];
        }

        @Override
        public String json() {
          return "{}";
        }
      };

  /** Returns the message {@code inference.ModelConfig} of {@code model_config.proto}. */
  byte[] message();

  /** Returns the same as JSON, with Triton's field names. */
  String json();
}
