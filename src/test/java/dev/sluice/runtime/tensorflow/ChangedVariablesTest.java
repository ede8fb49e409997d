package dev.sluice.runtime.tensorflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.testing.TestModels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangedVariablesTest {
  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  private static ByteString message(Fields... fields) {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      for (Fields each : fields) {
        each.writeTo(out);
      }
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteString.copyFrom(bytes.toByteArray());
  }

  private static Fields text(int field, String value) {
    return out -> out.writeString(field, value);
  }

  private static Fields nested(int field, Fields... fields) {
    return out -> out.writeBytes(field, message(fields));
  }

  /** A NodeDef with inputs. */
  private static ByteString node(String name, String operation, String... inputs) {
    return message(
        text(1, name),
        text(2, operation),
        out -> {
          for (String input : inputs) {
            out.writeString(3, input);
          }
        });
  }

  /** A NodeDef that calls functions by one attribute, alone or in a list. */
  private static ByteString calling(String name, String operation, String function, boolean many) {
    Fields called = many ? nested(1, nested(9, text(1, function))) : nested(10, text(1, function));
    return message(text(1, name), text(2, operation), nested(5, text(1, "f"), nested(2, called)));
  }

  private static Fields function(String name, ByteString... nodes) {
    return nested(
        1,
        nested(1, text(1, name)),
        out -> {
          for (ByteString node : nodes) {
            out.writeBytes(3, node);
          }
        });
  }

  private static boolean changes(List<ByteString> nodes, Fields... functions) {
    ByteString metaGraph =
        message(
            nested(
                2,
                out -> {
                  for (ByteString node : nodes) {
                    out.writeBytes(1, node);
                  }
                },
                nested(2, functions)));
    return ChangedVariables.areIn(metaGraph.asReadOnlyByteBuffer(), List.of("y:0"));
  }

  @ParameterizedTest
  @CsvSource({
    "counter/00000123, false",
    "half_plus_two/00000123, true",
    "half_plus_two_resource_vars/00000123, true",
    "half_plus_two_tf2/00000123, true",
    "typed_io/1, true"
  })
  void runsOfAModelAreIndependentUnlessItsSignaturesChangeAVariable(String model, boolean are) {
    TfLibrary.load();
    String[] version = model.split("/", -1);
    try (var session =
        TensorflowSession.open(
            TestModels.savedModel(version[0], version[1]),
            TensorflowConfig.DEFAULT,
            new RunTotals())) {
      assertThat(session.runsAreIndependent()).isEqualTo(are);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AssignVariableOp",
        "AssignAddVariableOp",
        "Assign",
        "ResourceScatterAdd",
        "ResourceApplyAdam",
        "ScatterUpdate",
        "ScatterNdUpdate",
        "LookupTableInsertV2",
        "QueueEnqueueV2",
        "StatefulUniform",
        "RngReadAndSkip",
        "EagerPyFunc",
        "IteratorGetNext",
        "OneShotIterator"
      })
  void anOperationThatChangesWhatOutlivesARunIsOne(String operation) {
    assertThat(changes(List.of(node("y", "Identity", "z:1"), node("z", operation)))).isTrue();
    assertThat(changes(List.of(node("y", "Identity", "^z"), node("z", operation)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ReadVariableOp",
        "VarHandleOp",
        "VariableV2",
        "ResourceGather",
        "ScatterNd",
        "TensorScatterUpdate",
        "LookupTableFindV2",
        "HashTableV2",
        "StatefulPartitionedCall",
        "While",
        "MatMul",
        "TensorArrayV3"
      })
  void anOperationThatOnlyReadsIsNone(String operation) {
    assertThat(changes(List.of(node("y", "Identity", "z"), node("z", operation)))).isFalse();
  }

  @Test
  void whatNoOutputReachesRestoresVariablesOrSavesThem() {
    List<ByteString> nodes =
        List.of(
            node("y", "Identity", "x"),
            node("x", "Placeholder"),
            node("restore_all", "NoOp", "^assign"),
            node("assign", "AssignVariableOp", "v"));
    assertThat(changes(nodes)).isFalse();
  }

  @Test
  void functionsAreFollowedFromWhereTheyAreCalled() {
    Fields inner = function("inner", node("a", "AssignAddVariableOp"));
    Fields outer = function("outer", calling("b", "PartitionedCall", "inner", false));
    Fields loop = function("loop", calling("b", "Case", "inner", true));
    Fields restore = function("restore", node("a", "AssignVariableOp"));
    List<ByteString> calls =
        List.of(
            calling("y", "StatefulPartitionedCall", "outer", false),
            calling("saver", "StatefulPartitionedCall", "restore", false));
    assertThat(changes(calls, restore, function("outer", node("m", "MatMul")))).isFalse();
    assertThat(changes(calls, restore, inner, outer)).isTrue();
    assertThat(changes(List.of(calling("y", "While", "loop", false)), inner, loop)).isTrue();
    assertThat(changes(List.of(node("y", "inner")), inner)).isTrue();
  }

  @Test
  void aLoopOfNodesAndFunctionsEnds() {
    List<ByteString> nodes = List.of(node("y", "Merge", "next"), node("next", "f", "y"));
    assertThat(changes(nodes, function("f", node("a", "f")))).isFalse();
  }
}
