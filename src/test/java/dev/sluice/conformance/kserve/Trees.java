package dev.sluice.conformance.kserve;

import dev.sluice.testing.OnnxModelWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A small ensemble of random, complete decision trees, which can be written as an ONNX model and
 * walked by hand.
 *
 * @param features how many an instance has
 * @param columns how many sums the leaves add to
 * @param nodes of each tree, in the order of a heap
 */
record Trees(int features, int columns, List<List<Node>> nodes) {
  private static final int DEPTH = 3;
  private static final int INNER = (1 << DEPTH) - 1;

  /** At a leaf the value adds to a column, elsewhere it parts the instances. */
  private record Node(int featureOrColumn, float value) {}

  /** The same ones for the same seed. */
  static Trees random(int trees, int features, int columns, long seed) {
    var random = new Random(seed);
    return new Trees(
        features,
        columns,
        IntStream.range(0, trees)
            .mapToObj(_ ->
                IntStream.range(0, 2 * INNER + 1)
                    .mapToObj(node ->
                        new Node(
                            random.nextInt(node < INNER ? features : columns),
                            (float) random.nextGaussian()))
                    .toList())
            .toList());
  }

  /** The sum of a column, as its definition says. */
  double predict(double[] instance, int column) {
    double sum = 0;
    for (List<Node> tree : nodes) {
      int node = 0;
      while (node < INNER) {
        Node at = tree.get(node);
        node = instance[at.featureOrColumn] <= at.value ? 2 * node + 1 : 2 * node + 2;
      }
      Node leaf = tree.get(node);
      sum += leaf.featureOrColumn == column ? leaf.value : 0;
    }
    return sum;
  }

  /** Shapley values by all subsets of the features, against a baseline of zeros. */
  double[] shapley(double[] instance, int column) {
    double[] scores = new double[features];
    for (int set = 0; set < 1 << features; set++) {
      for (int feature = 0; feature < features; feature++) {
        if ((set >> feature & 1) == 0) {
          double change =
              predict(only(instance, set | 1 << feature), column)
                  - predict(only(instance, set), column);
          scores[feature] += change * weight(Integer.bitCount(set));
        }
      }
    }
    return scores;
  }

  private double[] only(double[] instance, int set) {
    return IntStream.range(0, features)
        .mapToDouble(feature -> (set >> feature & 1) == 0 ? 0 : instance[feature])
        .toArray();
  }

  /** |S|! (n - |S| - 1)! / n! */
  private double weight(int size) {
    return factorial(size) * factorial(features - size - 1) / factorial(features);
  }

  private static double factorial(int n) {
    return LongStream.rangeClosed(1, n).reduce(1, (a, b) -> a * b);
  }

  /** X to Y, by the operator that sums the leaves. */
  void writeRegressor(Path folder) throws IOException {
    new OnnxModelWriter()
        .input("X", OnnxModelWriter.FLOAT, "N", Integer.toString(features))
        .output("Y", OnnxModelWriter.FLOAT, "N", Integer.toString(columns))
        .node(
            OnnxModelWriter.CLASSICAL,
            "TreeEnsembleRegressor",
            attributes("target", Map.of("n_targets", (long) columns)),
            List.of("Y"),
            "X")
        .writeTo(folder);
  }

  /** X to the best column, and to the sums of all. */
  void writeClassifier(Path folder) throws IOException {
    new OnnxModelWriter()
        .input("X", OnnxModelWriter.FLOAT, "N", Integer.toString(features))
        .output("label", OnnxModelWriter.INT64, "N")
        .output("scores", OnnxModelWriter.FLOAT, "N", Integer.toString(columns))
        .node(
            OnnxModelWriter.CLASSICAL,
            "TreeEnsembleClassifier",
            attributes(
                "class", Map.of("classlabels_int64s", LongStream.range(0, columns).toArray())),
            List.of("label", "scores"),
            "X")
        .writeTo(folder);
  }

  private Map<String, Object> attributes(String leaves, Map<String, Object> others) {
    Map<String, Object> attributes = new TreeMap<>(others);
    List<int[]> all =
        IntStream.range(0, nodes.size())
            .boxed()
            .flatMap(tree -> IntStream.range(0, 2 * INNER + 1).mapToObj(n -> new int[] {tree, n}))
            .toList();
    attributes.put("nodes_treeids", longs(all, at -> at[0]));
    attributes.put("nodes_nodeids", longs(all, at -> at[1]));
    attributes.put(
        "nodes_featureids", longs(all, at -> at[1] < INNER ? node(at).featureOrColumn : 0));
    attributes.put("nodes_values", floats(all, at -> at[1] < INNER ? node(at).value : 0));
    attributes.put(
        "nodes_modes", all.stream().map(at -> at[1] < INNER ? "BRANCH_LEQ" : "LEAF").toList());
    attributes.put("nodes_truenodeids", longs(all, at -> at[1] < INNER ? 2 * at[1] + 1 : 0));
    attributes.put("nodes_falsenodeids", longs(all, at -> at[1] < INNER ? 2 * at[1] + 2 : 0));
    List<int[]> ends = all.stream().filter(at -> at[1] >= INNER).toList();
    attributes.put(leaves + "_treeids", longs(ends, at -> at[0]));
    attributes.put(leaves + "_nodeids", longs(ends, at -> at[1]));
    attributes.put(leaves + "_ids", longs(ends, at -> node(at).featureOrColumn));
    attributes.put(leaves + "_weights", floats(ends, at -> node(at).value));
    return attributes;
  }

  private Node node(int[] at) {
    return nodes.get(at[0]).get(at[1]);
  }

  private static long[] longs(List<int[]> places, ToLongFunction<int[]> value) {
    return places.stream().mapToLong(value).toArray();
  }

  private static float[] floats(List<int[]> places, ToDoubleFunction<int[]> value) {
    float[] values = new float[places.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) value.applyAsDouble(places.get(i));
    }
    return values;
  }
}
