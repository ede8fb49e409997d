package dev.sluice.scheduling.ensemble;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.ensemble.EnsembleStep.Link;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes an ensemble's graph of its settings and its models' metadata, and refuses what cannot work:
 * FAILED_PRECONDITION with a text that names the step and the tensors.
 */
public final class EnsembleGraphBuilder {
  /** The platform that the ensemble reports, in Triton's word. */
  static final String PLATFORM = "ensemble";

  private final String name;
  private final EnsembleConfig config;
  private final int maxBatchSize;
  private final Map<String, Integer> numbers = new LinkedHashMap<>();

  /** The producer of each tensor, and its first consumer. */
  private final Map<String, TensorPort> writers = new LinkedHashMap<>();

  private final Map<String, TensorPort> takers = new LinkedHashMap<>();
  private final List<EnsembleStep> steps = new ArrayList<>();

  /** By tensor, the names that the member who writes it has for its classes. */
  private final Map<String, List<String>> classLabels = new HashMap<>();

  /** The numbers of tensors whose writers' shapes are only hints. */
  private final BitSet hinted = new BitSet();

  private final boolean chain;

  private boolean shapesBind = true;

  /**
   * @param chain whether its models are one behind the other, so that the responses of any two that
   *     stream have an order
   */
  private EnsembleGraphBuilder(
      String name, EnsembleConfig config, int maxBatchSize, boolean chain) {
    this.chain = chain;
    this.name = name;
    this.config = config;
    this.maxBatchSize = maxBatchSize;
  }

  /**
   * Returns the ensemble as a graph.
   *
   * @param maxBatchSize rows that a request may have; 0 if dimension 0 is not known to be a batch
   * @param members the metadata of the steps' models
   */
  public static EnsembleGraph build(
      String name,
      EnsembleConfig config,
      int maxBatchSize,
      Function<ModelSelector, ModelMetadata> members) {
    EnsembleConfig linked = config.isChain() ? link(name, config, members) : config;
    return new EnsembleGraphBuilder(name, linked, maxBatchSize, config.isChain()).build(members);
  }

  private static EnsembleConfig link(
      String name, EnsembleConfig chain, Function<ModelSelector, ModelMetadata> members) {
    List<Signature> models =
        chain.steps().stream().map(step -> signature(members.apply(selector(step)))).toList();
    return SequentialTensorMapping.link(name, chain, models);
  }

  /** Returns the signature by which members are asked: the default one, or the only one. */
  static Signature signature(ModelMetadata member) {
    Map<String, Signature> all = member.signatures();
    Signature only = all.size() == 1 ? all.values().iterator().next() : all.get(Signature.DEFAULT);
    if (only == null) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "it has no default signature, but " + all.keySet());
    }
    return only;
  }

  private EnsembleGraph build(Function<ModelSelector, ModelMetadata> members) {
    config.inputs().forEach(input -> write(TensorPort.ofEnsemble("input", input)));
    List<ModelMetadata> models = new ArrayList<>();
    for (EnsembleConfig.Step step : config.steps()) {
      models.add(members.apply(selector(step)));
      addWriters(step, models.getLast());
    }
    for (int i = 0; i < models.size(); i++) {
      addTakers(config.steps().get(i), models.get(i));
    }
    config.outputs().forEach(this::addOutput);
    var signature = new Signature(Signature.DEFAULT, "", inputs(), outputs());
    var metadata =
        new ModelMetadata(PLATFORM, Map.of(signature.name(), signature), shapesBind, maxBatchSize)
            .withClassLabels(labels());
    List<EnsembleStep> ordered = StepOrder.of(name, steps);
    StreamLevels levels = StreamLevels.of(name, ordered);
    Map<String, Integer> outputs = outputNumbers(signature);
    return new EnsembleGraph(
        name,
        new MemberTraits(models)
            .addTo(metadata)
            .withStreams(ordered.stream().anyMatch(EnsembleStep::streams)),
        ordered,
        levels,
        List.copyOf(numbers.keySet()),
        outputs,
        hinted);
  }

  static ModelSelector selector(EnsembleConfig.Step step) {
    return step.version() == EnsembleConfig.LATEST
        ? new ModelSelector.Latest(step.model())
        : new ModelSelector.Version(step.model(), step.version());
  }

  private String where(EnsembleConfig.Step step) {
    return "ensemble '%s', step %d (model '%s')"
        .formatted(name, config.steps().indexOf(step) + 1, step.model());
  }

  private void addWriters(EnsembleConfig.Step step, ModelMetadata model) {
    requireBatch(step, model);
    Signature signature = signature(model);
    List<Link> outputs = new ArrayList<>();
    step.outputs()
        .forEach((output, tensor) -> {
          TensorSpec spec =
              signature
                  .output(output)
                  .orElseThrow(() -> refused(where(step) + " has no output '" + output + "'"));
          write(TensorPort.ofStep("output", where(step), tensor, spec, false, joinsOneRow(model)));
          label(tensor, model.classLabels().get(output));
          hinted.set(number(tensor), !model.shapesBind());
          outputs.add(new Link(output, number(tensor)));
        });
    List<Link> inputs = new ArrayList<>();
    step.inputs().forEach((input, tensor) -> inputs.add(new Link(input, number(tensor))));
    boolean streams = chain ? model.streams() : model.decoupled();
    steps.add(
        new EnsembleStep(
            steps.size() + 1, selector(step), streams, model.whole(), inputs, outputs));
  }

  private void requireBatch(EnsembleConfig.Step step, ModelMetadata model) {
    if (maxBatchSize > 0 && model.maxBatchSize() < maxBatchSize) {
      throw refused(
          where(step)
              + " takes max_batch_size "
              + model.maxBatchSize()
              + ", the ensemble allows "
              + maxBatchSize);
    }
  }

  /** Returns whether a request of the ensemble, which has no batch, is one row of this member's. */
  private boolean joinsOneRow(ModelMetadata member) {
    return maxBatchSize == 0 && member.maxBatchSize() > 0;
  }

  private void label(String tensor, @Nullable List<String> classes) {
    if (classes != null) {
      classLabels.put(tensor, classes);
    }
  }

  private void write(TensorPort end) {
    TensorPort other = writers.putIfAbsent(end.tensor(), end);
    if (other != null) {
      throw refused(
          "ensemble '%s': tensor '%s' is written twice: %s, %s"
              .formatted(name, end.tensor(), other, end));
    }
    number(end.tensor());
  }

  private int number(String tensor) {
    return numbers.computeIfAbsent(tensor, _ -> numbers.size());
  }

  private void addTakers(EnsembleConfig.Step step, ModelMetadata model) {
    Signature signature = signature(model);
    step.inputs()
        .forEach((input, tensor) -> {
          TensorSpec spec =
              signature
                  .input(input)
                  .orElseThrow(() -> refused(where(step) + " has no input '" + input + "'"));
          take(
              TensorPort.ofStep(
                  "input", where(step), tensor, spec, !model.shapesBind(), joinsOneRow(model)));
        });
    for (TensorSpec input : signature.inputs()) {
      if (!input.optional() && !step.inputs().containsKey(input.name())) {
        throw refused(where(step) + " is not given its input '" + input.name() + "'");
      }
    }
    shapesBind &= model.shapesBind();
  }

  private void take(TensorPort end) {
    TensorPort writer = writers.get(end.tensor());
    if (writer != null) {
      writer.requireFits(name, end);
    } else if (!config.inputs().isEmpty()) {
      throw refused(
          "ensemble '%s': tensor '%s' is taken as %s, but is no input of the ensemble and no step"
                  .formatted(name, end.tensor(), end)
              + " writes it");
    } else {
      TensorPort first = takers.putIfAbsent(end.tensor(), end);
      if (first != null) {
        first.requireFits(name, end);
      }
    }
    if (writer != null) {
      takers.putIfAbsent(end.tensor(), end);
    }
  }

  private void addOutput(Declaration output) {
    TensorPort writer = writers.get(output.tensor());
    if (writer == null || writer.isOfEnsemble()) {
      throw refused(
          "ensemble '%s': output '%s' is written by no step".formatted(name, output.name()));
    }
    writer.requireFits(name, TensorPort.ofEnsemble("output", output));
  }

  /** Returns the inputs as declared, or else as their consumers declare them. */
  private List<TensorSpec> inputs() {
    if (config.inputs().isEmpty()) {
      return takers.values().stream()
          .filter(taker -> !writers.containsKey(taker.tensor()))
          .map(TensorPort::spec)
          .toList();
    }
    return config.inputs().stream()
        .map(input -> {
          TensorPort taker = takers.get(input.name());
          if (taker == null) {
            throw refused("ensemble '%s': no step takes input '%s'".formatted(name, input.name()));
          }
          return taker.declared(input);
        })
        .toList();
  }

  private List<TensorSpec> outputs() {
    if (!config.outputs().isEmpty()) {
      return config.outputs().stream()
          .map(output -> writer(output.tensor()).declared(output))
          .toList();
    }
    List<TensorSpec> untaken =
        writers.values().stream()
            .filter(writer -> !writer.isOfEnsemble() && !takers.containsKey(writer.tensor()))
            .map(TensorPort::spec)
            .toList();
    if (untaken.isEmpty()) {
      throw refused("ensemble '" + name + "' has no output: every tensor is taken by a step");
    }
    return untaken;
  }

  /** By output, the names of its classes. */
  private Map<String, List<String>> labels() {
    if (config.outputs().isEmpty()) {
      return classLabels;
    }
    Map<String, List<String>> labels = new HashMap<>();
    for (Declaration output : config.outputs()) {
      List<String> classes = classLabels.get(output.tensor());
      if (classes != null) {
        labels.put(output.name(), classes);
      }
    }
    return labels;
  }

  private Map<String, Integer> outputNumbers(Signature signature) {
    Map<String, Integer> outputs = new HashMap<>();
    if (config.outputs().isEmpty()) {
      signature.outputs().forEach(output -> outputs.put(output.name(), number(output.name())));
    } else {
      config.outputs().forEach(output -> outputs.put(output.name(), number(output.tensor())));
    }
    return outputs;
  }

  private TensorPort writer(String tensor) {
    TensorPort writer = writers.get(tensor);
    if (writer == null) {
      throw new IllegalStateException("output " + tensor + " was not checked");
    }
    return writer;
  }

  static InferenceException refused(String text) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, text);
  }
}
