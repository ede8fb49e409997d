package dev.sluice.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.config.model.EnsembleConfig.Step;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EnsembleGraphBuilderTest {
  /** Takes and writes rows of four floats, eight at most. */
  private static final ModelMetadata FLOATS = model(DataType.FP32, Shape.of(-1, 4));

  private static final ModelMetadata NUMBERS = model(DataType.INT64, Shape.of(-1, 4));
  private static final ModelMetadata WIDE = model(DataType.FP32, Shape.of(-1, 5));

  private static ModelMetadata model(DataType type, Shape shape) {
    var signature =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(
                new TensorSpec("x", type, shape),
                new TensorSpec("bias", type, shape, true, "bias", type.name())),
            List.of(new TensorSpec("y", type, shape)));
    return new ModelMetadata("fake", Map.of(signature.name(), signature), true, 8);
  }

  private static Step step(String model, String from, String to) {
    return new Step(model, EnsembleConfig.LATEST, Map.of("x", from), Map.of("y", to));
  }

  private static EnsembleConfig steps(Step... steps) {
    return new EnsembleConfig(List.of(steps), List.of(), List.of());
  }

  private static EnsembleConfig with(
      List<Declaration> inputs, List<Declaration> outputs, Step... steps) {
    return new EnsembleConfig(List.of(steps), inputs, outputs);
  }

  private static Declaration declared(String name, DataType type, Shape shape) {
    return new Declaration(name, Optional.of(type), shape, false);
  }

  private static EnsembleGraph build(EnsembleConfig config, int maxBatchSize) {
    return EnsembleGraphBuilder.build("e", config, maxBatchSize, EnsembleGraphBuilderTest::member);
  }

  private static ModelMetadata member(ModelSelector selector) {
    return switch (selector.name()) {
      case "floats" -> FLOATS;
      case "numbers" -> NUMBERS;
      default -> WIDE;
    };
  }

  private static void assertRefused(EnsembleConfig config, String text) {
    assertThatThrownBy(() -> build(config, 8)).hasMessage(text);
  }

  @Test
  void unwrittenTensorsAreInputsAndUnreadOnesOutputs() {
    ModelMetadata ensemble =
        build(steps(step("floats", "b", "c"), step("floats", "a", "b")), 8).metadata();
    Signature signature = ensemble.signature("").orElseThrow();
    assertThat(signature.inputs())
        .containsExactly(new TensorSpec("a", DataType.FP32, Shape.of(-1, 4)));
    assertThat(signature.outputs())
        .containsExactly(new TensorSpec("c", DataType.FP32, Shape.of(-1, 4)));
    assertThat(ensemble.platform()).isEqualTo("ensemble");
    assertThat(ensemble.maxBatchSize()).isEqualTo(8);
  }

  @Test
  void declaredTensorsAreShownAsDeclared() {
    Signature signature =
        build(
                with(
                    List.of(declared("a", DataType.FP32, Shape.of(-1, -1))),
                    List.of(declared("b", DataType.FP32, Shape.of(-1, 4))),
                    step("floats", "a", "b"),
                    step("floats", "b", "c")),
                8)
            .metadata()
            .signature("")
            .orElseThrow();
    assertThat(signature.inputs().getFirst().shape()).isEqualTo(Shape.of(-1, -1));
    assertThat(signature.outputs()).extracting(TensorSpec::name).containsExactly("b");
  }

  @Test
  void tensorsOfDifferentTypesAreRefusedWithBoth() {
    assertRefused(
        steps(step("floats", "a", "b"), step("numbers", "b", "c")),
        "ensemble 'e': tensor 'b' does not fit: output 'y' of ensemble 'e', step 1 (model 'floats')"
            + " is FP32[-1,4], input 'x' of ensemble 'e', step 2 (model 'numbers') is INT64[-1,4]");
  }

  @Test
  void tensorsOfDifferentShapesAreRefusedWithBoth() {
    assertRefused(
        steps(step("floats", "a", "b"), step("wide", "b", "c")),
        "ensemble 'e': tensor 'b' does not fit: output 'y' of ensemble 'e', step 1 (model 'floats')"
            + " is FP32[-1,4], input 'x' of ensemble 'e', step 2 (model 'wide') is FP32[-1,5]");
  }

  @Test
  void anInputThatTwoStepsTakeDifferentlyIsRefused() {
    assertThatThrownBy(() -> build(steps(step("floats", "a", "b"), step("numbers", "a", "c")), 8))
        .hasMessageContaining("tensor 'a' does not fit");
  }

  @Test
  void anOutputDeclaredDifferentlyIsRefused() {
    assertThatThrownBy(() ->
            build(
                with(
                    List.of(declared("a", DataType.FP32, Shape.of(-1, 4))),
                    List.of(declared("b", DataType.BYTES, Shape.of(-1, 4))),
                    step("floats", "a", "b")),
                8))
        .hasMessageContaining("output 'b' of the ensemble is BYTES[-1,4]");
  }

  @Test
  void aTensorWrittenTwiceIsRefused() {
    assertThatThrownBy(() -> build(steps(step("floats", "a", "b"), step("floats", "c", "b")), 8))
        .hasMessageStartingWith("ensemble 'e': tensor 'b' is written twice: ");
  }

  @Test
  void anUnwrittenTensorIsRefused() {
    assertThatThrownBy(() ->
            build(
                with(
                    List.of(declared("a", DataType.FP32, Shape.of(-1, 4))),
                    List.of(declared("b", DataType.FP32, Shape.of(-1, 4))),
                    step("floats", "z", "b")),
                8))
        .hasMessageContaining("tensor 'z' is taken as input 'x'")
        .hasMessageEndingWith("but is no input of the ensemble and no step writes it");
  }

  @Test
  void anOutputThatNoStepWritesIsRefused() {
    assertRefused(
        with(
            List.of(),
            List.of(declared("z", DataType.FP32, Shape.of(-1, 4))),
            step("floats", "a", "b")),
        "ensemble 'e': output 'z' is written by no step");
  }

  @Test
  void anInputThatNoStepTakesIsRefused() {
    assertRefused(
        with(
            List.of(
                declared("a", DataType.FP32, Shape.of(-1, 4)),
                declared("z", DataType.FP32, Shape.of(-1, 4))),
            List.of(),
            step("floats", "a", "b")),
        "ensemble 'e': no step takes input 'z'");
  }

  @Test
  void stepsThatWaitForEachOtherAreRefused() {
    assertRefused(
        steps(step("floats", "b", "a"), step("floats", "a", "b"), step("wide", "i", "o")),
        "ensemble 'e': steps wait for each other: 1 (model 'floats'), 2 (model 'floats')");
  }

  @Test
  void unknownTensorsOfModelsAreRefused() {
    assertRefused(
        steps(new Step("floats", -1, Map.of("q", "a"), Map.of("y", "b"))),
        "ensemble 'e', step 1 (model 'floats') has no input 'q'");
    assertRefused(
        steps(new Step("floats", -1, Map.of("x", "a"), Map.of("q", "b"))),
        "ensemble 'e', step 1 (model 'floats') has no output 'q'");
  }

  @Test
  void aMissingInputIsRefusedAndAnOptionalOneIsNot() {
    assertRefused(
        steps(new Step("floats", -1, Map.of("bias", "a"), Map.of("y", "b"))),
        "ensemble 'e', step 1 (model 'floats') is not given its input 'x'");
    assertThat(build(steps(step("floats", "a", "b")), 8).metadata()).isNotNull();
  }

  @Test
  void aBatchLargerThanAMembersIsRefused() {
    assertThatThrownBy(() -> build(steps(step("floats", "a", "b")), 9))
        .hasMessage(
            "ensemble 'e', step 1 (model 'floats') takes max_batch_size 8, the ensemble allows 9");
  }

  private static Step link(String model) {
    return new Step(model, EnsembleConfig.LATEST, Map.of(), Map.of());
  }

  private static ModelMetadata named(List<String> inputs, List<String> outputs) {
    var signature = new Signature(Signature.DEFAULT, "", floats(inputs), floats(outputs));
    return new ModelMetadata("fake", Map.of(signature.name(), signature), true, 8);
  }

  private static List<TensorSpec> floats(List<String> names) {
    return names.stream()
        .map(name -> new TensorSpec(name, DataType.FP32, Shape.of(-1, 4)))
        .toList();
  }

  private static EnsembleGraph chain(ModelMetadata first, ModelMetadata second) {
    return EnsembleGraphBuilder.build(
        "e",
        steps(link("first"), link("second")),
        0,
        selector -> selector.name().equals("first") ? first : second);
  }

  @Test
  void inAChainTheNextModelTakesTensorsByTheirNames() {
    EnsembleGraph graph =
        chain(
            named(List.of("in"), List.of("a", "unused", "b")),
            named(List.of("b", "a"), List.of("out", "more")));
    Signature signature = graph.metadata().signature("").orElseThrow();
    assertThat(signature.inputs()).isEqualTo(floats(List.of("in")));
    assertThat(signature.outputs()).isEqualTo(floats(List.of("out", "more")));
    EnsembleStep second = graph.steps().getLast();
    assertThat(second.inputs())
        .containsExactlyInAnyOrder(
            new EnsembleStep.Link("a", graph.number("1.a")),
            new EnsembleStep.Link("b", graph.number("1.b")));
  }

  @Test
  void inAChainTensorsWithoutACommonNameGoInTheirOrder() {
    EnsembleGraph graph =
        chain(
            named(List.of("in"), List.of("y", "z")), named(List.of("left", "right"), List.of("o")));
    assertThat(graph.steps().getLast().inputs())
        .containsExactlyInAnyOrder(
            new EnsembleStep.Link("left", graph.number("1.y")),
            new EnsembleStep.Link("right", graph.number("1.z")));
    assertThat(build(steps(link("floats"), link("floats")), 8).steps().getLast().inputs())
        .containsExactly(new EnsembleStep.Link("x", 0));
  }

  @Test
  void aChainMayGiveATensorOfTheNameOfOneThatItTakes() {
    EnsembleGraph graph =
        chain(named(List.of("x"), List.of("y")), named(List.of("y"), List.of("x", "z")));
    Signature signature = graph.metadata().signature("").orElseThrow();
    assertThat(signature.inputs()).isEqualTo(floats(List.of("x")));
    assertThat(signature.outputs()).isEqualTo(floats(List.of("x", "z")));
    assertThat(graph.steps().getFirst().inputs())
        .containsExactly(new EnsembleStep.Link("x", graph.number("x")));
    assertThat(graph.steps().getLast().outputs())
        .containsExactly(
            new EnsembleStep.Link("x", graph.outputNumber("x")),
            new EnsembleStep.Link("z", graph.outputNumber("z")));
    assertThat(graph.outputNumber("x")).isNotEqualTo(graph.number("x"));
  }

  @Test
  void aChainIsRefusedIfAModelLacksWhatItTakes() {
    assertThatThrownBy(
            () -> chain(named(List.of("in"), List.of("a")), named(List.of("a", "b"), List.of("o"))))
        .hasMessage(
            "ensemble 'e', step 2: model 'second' takes [a, b], but model 'first' before it gives"
                + " [a]");
    assertRefused(
        steps(link("numbers"), link("wide")),
        "ensemble 'e': tensor '1.y' does not fit: output 'y' of ensemble 'e', step 1 (model"
            + " 'numbers') is INT64[-1,4], input 'x' of ensemble 'e', step 2 (model 'wide') is"
            + " FP32[-1,5]");
  }

  /** Writes text by streams that can be joined; besides, takes and writes text once. */
  private static ModelMetadata texts(boolean streamed) {
    var shape = Shape.of(-1);
    var signature =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(new TensorSpec("x", DataType.BYTES, shape)),
            List.of(new TensorSpec("y", DataType.BYTES, shape)));
    var model = new ModelMetadata("fake", Map.of(signature.name(), signature), true, 0);
    return streamed
        ? model.withDecoupled(true).withWhole().withParameters(Set.of("max_tokens"))
        : model;
  }

  private static ModelMetadata textEnsemble(EnsembleConfig config) {
    return EnsembleGraphBuilder.build(
            "e", config, 0, selector -> texts(selector.name().startsWith("writer")))
        .metadata();
  }

  @Test
  void oneStreamOfTextAmongTheMembersCanBeAnsweredWhole() {
    ModelMetadata ensemble =
        textEnsemble(
            steps(step("copy", "a", "b"), step("writer", "b", "c"), step("copy", "c", "d")));
    assertThat(ensemble.decoupled()).isTrue();
    assertThat(ensemble.whole()).isTrue();
    assertThat(ensemble.parameters()).containsExactly("max_tokens");
  }

  @Test
  void anEnsembleIsAnsweredWholeIfEachOfItsMembersIs() {
    ModelMetadata ensemble =
        textEnsemble(
            with(
                List.of(),
                List.of(
                    new Declaration("b", Optional.empty(), Shape.of(-1), false),
                    new Declaration("c", Optional.empty(), Shape.of(-1), false)),
                step("copy", "a", "b"),
                step("writer", "b", "c")));
    assertThat(ensemble.decoupled()).isTrue();
    assertThat(ensemble.whole()).isTrue();
  }

  @Test
  void textsBehindTextsAreAnsweredWholeToo() {
    ModelMetadata ensemble =
        textEnsemble(steps(step("writer", "a", "b"), step("writer2", "b", "c")));
    assertThat(ensemble.whole()).isTrue();
  }

  @Test
  void aMemberThatOnlyStreamsKeepsAnEnsembleFromBeingAnsweredWhole() {
    ModelMetadata ensemble =
        EnsembleGraphBuilder.build(
                "e",
                steps(step("writer", "a", "b"), step("repeater", "b", "c")),
                0,
                selector ->
                    selector.name().equals("writer")
                        ? texts(true)
                        : texts(false).withDecoupled(true))
            .metadata();
    assertThat(ensemble.decoupled()).isTrue();
    assertThat(ensemble.whole()).isFalse();
  }

  @Test
  void anEnsembleWithoutStreamsAnswersOnceAsEver() {
    ModelMetadata ensemble = textEnsemble(steps(step("copy", "a", "b")));
    assertThat(ensemble.answersOnce()).isTrue();
    assertThat(ensemble.whole()).isFalse();
  }
}
