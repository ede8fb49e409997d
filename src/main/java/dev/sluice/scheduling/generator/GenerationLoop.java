package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.scheduling.generator.input.CacheSize;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The settings of one signature's generation loop, with every name resolved.
 *
 * @param config the settings
 * @param called the model's own signature
 * @param shown what clients see of it: inputs that the loop can begin with by itself are optional,
 *     and outputs are what is sent
 * @param inputs of the model, and where they come from
 * @param computed names of the outputs that a step computes
 * @param axes of each input that gets longer with each step, mask and caches, the dimension that
 *     does; empty if rows of different lengths cannot be distinguished
 */
record GenerationLoop(
    GeneratorConfig config,
    Signature called,
    Signature shown,
    List<GenerationInput> inputs,
    List<String> computed,
    Map<String, Integer> axes) {

  /**
   * Finds the names of the settings in a signature.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming what is not there or does not fit
   */
  static GenerationLoop of(GeneratorConfig config, Signature signature) {
    return new Finder(config, signature).loop();
  }

  /** Returns the index of an output among those computed; -1 if it is not. */
  int indexOf(String output) {
    return computed.indexOf(output);
  }

  /** Returns the dimension of a computed output that gets longer with each step; 0: none does. */
  int outputAxis(int index) {
    for (GenerationInput input : inputs) {
      if (input.output() == index) {
        return axes.getOrDefault(input.name(), 0);
      }
    }
    return 0;
  }

  /**
   * Returns whether each step behind a prompt has inputs of the same shapes, however long its
   * stream is by then: with caches of one size, and a position for each row.
   */
  boolean hasStepsOfOneSize() {
    return inputs.stream().allMatch(GenerationInput::isOfOneSize);
  }

  /** Returns the computed outputs that get longer with each step, with the inputs they go to. */
  Map<String, String> caches() {
    var caches = new HashMap<String, String>();
    for (GenerationInput input : inputs) {
      if (input.origin() == Origin.FEEDBACK && axes.containsKey(input.name())) {
        caches.put(computed.get(input.output()), input.name());
      }
    }
    return Map.copyOf(caches);
  }

  /** Returns how many tokens there are to choose from, as the model declares it; or ANY. */
  long candidates(GeneratorConfig.Next next) {
    Shape logits = called.output(next.from()).orElseThrow().shape();
    return logits.rank() == 0 ? Shape.ANY : logits.dim(logits.rank() - 1);
  }

  /**
   * Returns what clients see of it who send texts: positions, mask and caches that grow are made of
   * these.
   */
  Signature shownForTexts() {
    return new Signature(
        shown.name(),
        shown.method(),
        shown.inputs().stream().filter(input -> !isMadeOfTexts(input)).toList(),
        shown.outputs());
  }

  private boolean isMadeOfTexts(TensorSpec input) {
    return input.optional()
        && (axes.containsKey(input.name())
            || config.position().filter(input.name()::equals).isPresent());
  }

  /** Returns the size of what is fed back. */
  CacheSize cache() {
    return CacheSize.of(
        inputs.stream()
            .filter(input -> input.origin() == Origin.FEEDBACK)
            .map(GenerationInput::spec)
            .toList());
  }

  /** Returns the number of bytes of what is made up for a row before the first step. */
  long stateBytes() {
    long bytes = 0;
    for (GenerationInput input : inputs) {
      if (input.origin() == Origin.FEEDBACK) {
        bytes += rowBytes(input.spec());
      }
    }
    return bytes;
  }

  private static long rowBytes(TensorSpec state) {
    long elements = 1;
    for (int i = 0; i < state.shape().rank(); i++) {
      long dim = state.shape().dim(i);
      elements *= dim == Shape.ANY && i == 0 ? 1 : Math.max(0, dim);
    }
    return elements * state.type().byteSize();
  }

  /** Finds names. */
  private static final class Finder {
    private final GeneratorConfig config;
    private final Signature signature;
    private final Map<String, String> inputOf = new HashMap<>();

    Finder(GeneratorConfig config, Signature signature) {
      this.config = config;
      this.signature = signature;
      config.feedback().forEach((output, input) -> pair(StateNames.of(output, input)));
    }

    private void pair(StateNames pair) {
      boolean found = false;
      for (TensorSpec output : signature.outputs()) {
        Optional<String> input = pair.inputOf(output.name());
        if (input.isPresent()) {
          requireSameType(output, input("feedback", input.get()));
          inputOf.put(output.name(), input.get());
          found = true;
        }
      }
      if (!found) {
        throw missing("feedback", "output", pair.output(), signature.outputs());
      }
    }

    private static void requireSameType(TensorSpec output, TensorSpec input) {
      if (output.type() != input.type()) {
        throw InferenceException.invalid(
            "stream.feedback: output %s is %s, input %s is %s"
                .formatted(output.name(), output.type(), input.name(), input.type()));
      }
    }

    GenerationLoop loop() {
      config.next().ifPresent(this::checkNext);
      config.position().ifPresent(name -> requireWhole("position", name));
      config.mask().ifPresent(name -> requireNumbers("mask", name));
      List<TensorSpec> sent = sent();
      List<String> computed = computed(sent);
      return new GenerationLoop(
          config,
          signature,
          new Signature(signature.name(), signature.method(), shownInputs(), sent),
          signature.inputs().stream().map(input -> input(input, computed)).toList(),
          computed,
          config.mask().flatMap(signature::input).map(this::axes).orElse(Map.of()));
    }

    /** None without a mask that grows, or if it is not clear along which dimension a cache does. */
    private Map<String, Integer> axes(TensorSpec mask) {
      var axes = new HashMap<String, Integer>();
      for (Map.Entry<String, String> pair : inputOf.entrySet()) {
        TensorSpec input = signature.input(pair.getValue()).orElseThrow();
        List<Integer> open = openDimensions(input);
        if (!open.equals(openDimensions(signature.output(pair.getKey()).orElseThrow()))
            || open.size() > 1) {
          return Map.of();
        }
        open.forEach(axis -> axes.put(input.name(), axis));
      }
      if (axes.isEmpty() || mask.shape().rank() != 2 || !openDimensions(mask).equals(List.of(1))) {
        return Map.of();
      }
      axes.put(mask.name(), 1);
      return Map.copyOf(axes);
    }

    /** Returns those besides the first, which is that of the rows. */
    private static List<Integer> openDimensions(TensorSpec spec) {
      return IntStream.range(1, spec.shape().rank())
          .filter(i -> spec.shape().dim(i) == Shape.ANY)
          .boxed()
          .toList();
    }

    private GenerationInput input(TensorSpec input, List<String> computed) {
      String name = input.name();
      int fedBack = computed.stream().map(inputOf::get).toList().indexOf(name);
      if (config.next().filter(next -> next.to().equals(name)).isPresent()) {
        return new GenerationInput(input, Origin.CHOICE, -1);
      }
      if (config.mask().filter(name::equals).isPresent()) {
        return new GenerationInput(input, Origin.MASK, -1);
      }
      if (config.position().filter(name::equals).isPresent()) {
        return new GenerationInput(input, Origin.POSITION, -1);
      }
      return new GenerationInput(input, fedBack < 0 ? Origin.CALLER : Origin.FEEDBACK, fedBack);
    }

    private void checkNext(GeneratorConfig.Next next) {
      TensorSpec from = output("next.from", next.from());
      if (!from.type().isFloat()) {
        throw InferenceException.invalid(
            "stream.next.from: output %s is %s; wanted floating point numbers"
                .formatted(from.name(), from.type()));
      }
      requireWhole("next.to", next.to());
      if (signature.output(next.as()).isPresent()) {
        throw InferenceException.invalid(
            "stream.next.as: the model has an output %s already".formatted(next.as()));
      }
    }

    private void requireWhole(String setting, String name) {
      DataType type = input(setting, name).type();
      if (type != DataType.INT64 && type != DataType.INT32) {
        throw wrongType(setting, name, type, "INT64 or INT32");
      }
    }

    private void requireNumbers(String setting, String name) {
      DataType type = input(setting, name).type();
      if (type != DataType.INT64
          && type != DataType.INT32
          && type != DataType.FP32
          && type != DataType.BOOL) {
        throw wrongType(setting, name, type, "INT64, INT32, FP32 or BOOL");
      }
    }

    private static InferenceException wrongType(
        String setting, String name, DataType type, String wanted) {
      return InferenceException.invalid(
          "stream.%s: input %s is %s; wanted %s".formatted(setting, name, type, wanted));
    }

    private List<TensorSpec> sent() {
      if (!config.emit().isEmpty()) {
        return config.emit().stream().distinct().map(this::sent).toList();
      }
      if (config.next().isPresent()) {
        return List.of(choice(config.next().get()));
      }
      List<TensorSpec> others =
          signature.supportedOutputs().stream()
              .filter(output -> !inputOf.containsKey(output.name()))
              .toList();
      return others.isEmpty() ? signature.supportedOutputs() : others;
    }

    private TensorSpec sent(String name) {
      return config
          .next()
          .filter(next -> next.as().equals(name))
          .map(this::choice)
          .orElseGet(() -> output("emit", name));
    }

    private TensorSpec choice(GeneratorConfig.Next next) {
      TensorSpec input = input("next.to", next.to());
      return new TensorSpec(next.as(), input.type(), input.shape());
    }

    private List<String> computed(List<TensorSpec> sent) {
      var names = new ArrayList<String>();
      for (TensorSpec output : signature.outputs()) {
        String name = output.name();
        boolean chosenFrom = config.next().filter(next -> next.from().equals(name)).isPresent();
        boolean stops = config.stop().output().filter(name::equals).isPresent();
        boolean emitted = sent.stream().anyMatch(spec -> spec.name().equals(name));
        if (inputOf.containsKey(name) || chosenFrom || stops || emitted) {
          names.add(name);
        }
      }
      config.stop().output().ifPresent(name -> output("stop.output", name));
      return List.copyOf(names);
    }

    private List<TensorSpec> shownInputs() {
      return signature.inputs().stream().map(this::shownInput).toList();
    }

    private TensorSpec shownInput(TensorSpec input) {
      boolean made =
          input.shape().isRankKnown()
              && input.type().isFixedSize()
              && (inputOf.containsValue(input.name())
                  || config.position().filter(input.name()::equals).isPresent()
                  || config.mask().filter(input.name()::equals).isPresent());
      return made
          ? new TensorSpec(
              input.name(),
              input.type(),
              input.shape(),
              true,
              input.nativeName(),
              input.nativeType())
          : input;
    }

    private TensorSpec input(String setting, String name) {
      return signature
          .input(name)
          .orElseThrow(() -> missing(setting, "input", name, signature.inputs()));
    }

    private TensorSpec output(String setting, String name) {
      return signature
          .output(name)
          .orElseThrow(() -> missing(setting, "output", name, signature.outputs()));
    }

    private static InferenceException missing(
        String setting, String what, String name, List<TensorSpec> there) {
      return InferenceException.invalid(
          "stream.%s: the model has no %s %s; it has %s"
              .formatted(
                  setting, what, name, there.stream().map(TensorSpec::name).limit(20).toList()));
    }
  }
}
