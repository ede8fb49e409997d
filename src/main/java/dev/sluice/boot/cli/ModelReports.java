package dev.sluice.boot.cli;

import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Formats the reports about models that the commands print.
 *
 * <p>Threads: any; keeps nothing. A table has one line for each version, so that scripts can read
 * it line by line.
 */
final class ModelReports {
  private ModelReports() {}

  /** Returns one line for each version: name, number, state, and what is wrong. */
  static List<String> states(List<ModelLine> models) {
    var table = new TextTable("MODEL", "VERSION", "STATE", "");
    for (ModelLine model : models) {
      table.row(model.model(), model.number(), model.state(), model.problem().orElse(""));
    }
    return table.lines();
  }

  /** Also signatures, inputs and outputs, one line for each. */
  static List<String> details(List<ModelLine> models) {
    var table =
        new TextTable("MODEL", "VERSION", "STATE", "SIGNATURE", "TENSOR", "NAME", "TYPE", "SHAPE");
    for (ModelLine model : models) {
      List<String[]> tensors = model.metadata().map(ModelReports::tensors).orElse(List.of());
      if (tensors.isEmpty()) {
        table.row(model.model(), model.number(), model.state());
      }
      for (int i = 0; i < tensors.size(); i++) {
        table.row(
            i == 0
                ? joined(
                    new String[] {model.model(), model.number(), model.state()}, tensors.get(i))
                : joined(new String[] {"", "", ""}, tensors.get(i)));
      }
    }
    return table.lines();
  }

  /** Returns the folders that are searched for models, for error texts. */
  static String directories(RepositoryConfig repository) {
    return repository.wanted().directories().stream()
        .map(Path::toString)
        .collect(Collectors.joining(", "));
  }

  /** Returns one line for each version that is not as it should be. */
  static List<String> failures(List<ModelLine> models) {
    return models.stream()
        .filter(ModelLine::hasFailed)
        .map(model ->
            model.model()
                + "/"
                + model.number()
                + " is not served: "
                + model.problem().orElse(model.state()))
        .toList();
  }

  private static List<String[]> tensors(ModelMetadata metadata) {
    List<String[]> rows = new ArrayList<>();
    for (Signature signature : metadata.signatures().values()) {
      signature.inputs().forEach(input -> rows.add(row(rows, signature, "input", input)));
      signature.outputs().forEach(output -> rows.add(row(rows, signature, "output", output)));
    }
    return rows;
  }

  private static String[] row(
      List<String[]> before, Signature signature, String kind, TensorSpec tensor) {
    boolean repeated = before.stream().anyMatch(row -> row[0].equals(signature.name()));
    return new String[] {
      repeated ? "" : signature.name(),
      kind,
      tensor.name(),
      tensor.type().name(),
      tensor.shape().toString() + (tensor.optional() ? " optional" : "")
    };
  }

  private static String[] joined(String[] first, String[] second) {
    List<String> joined = new ArrayList<>(List.of(first));
    joined.addAll(List.of(second));
    return joined.toArray(String[]::new);
  }
}
