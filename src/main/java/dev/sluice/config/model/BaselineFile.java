package dev.sluice.config.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.binding.Units;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a file of rows: a JSON list of rows, each nested as instances are. Blocks.
 *
 * <p>Rows may be nested as a model's inputs are; they are flattened in row-major order. An error
 * names the file and the row.
 */
public final class BaselineFile {
  private static final long LARGEST = 64L * 1024 * 1024;
  private static final JsonMapper JSON = new JsonMapper();

  private BaselineFile() {}

  /**
   * Returns the rows, the elements of each in their order.
   *
   * @throws ConfigException if the file cannot be read or is something else
   */
  public static double[][] read(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw new ConfigException(file + " is larger than " + Units.show(LARGEST));
      }
      JsonNode rows = JSON.readTree(Files.readAllBytes(file));
      if (!rows.isArray() || rows.isEmpty()) {
        throw new ConfigException(file + " is no JSON list of rows");
      }
      double[][] read = new double[rows.size()][];
      for (int i = 0; i < read.length; i++) {
        read[i] = row(rows.get(i), file, i);
      }
      return read;
    } catch (IOException e) {
      throw new ConfigException(file + " " + FileProblem.of(e));
    }
  }

  private static double[] row(JsonNode row, Path file, int number) {
    List<Double> values = new ArrayList<>();
    if (!collect(row, values) || values.isEmpty()) {
      throw new ConfigException(file + ": row " + number + " is no list of numbers");
    }
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static boolean collect(JsonNode node, List<Double> values) {
    if (node.isNumber()) {
      return values.add(node.doubleValue());
    }
    if (!node.isArray()) {
      return false;
    }
    for (JsonNode element : node) {
      if (!collect(element, values)) {
        return false;
      }
    }
    return true;
  }
}
