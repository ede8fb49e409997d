package dev.sluice.config.compat.grps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.ListedModel;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A grps deployment's {@code inference.yml}.
 *
 * @param models in the file's order
 * @param defaultModel the model that is meant when a request names none: the DAG, or its only one
 * @param dag models one behind the other; empty: there is no DAG of several
 * @param text the file, written out again
 * @param unused full names of keys that change nothing here
 */
record GrpsInferenceFile(
    List<Model> models,
    Optional<String> defaultModel,
    Optional<Dag> dag,
    String text,
    List<String> unused) {
  /**
   * One model.
   *
   * @param id {@code name-version}, by which requests and the DAG name it
   * @param name the name alone
   * @param path an ONNX file, or a folder with a model of a known format
   * @param batching how its requests are joined; empty: it does not say
   * @param args what its code is given
   * @param text its part of the file, written out again
   */
  record Model(
      String id,
      String name,
      Path path,
      Optional<BatchingConfig> batching,
      Map<String, String> args,
      String text) {
    /** Returns the model as it is served. */
    ListedModel listed() {
      ListedModel plain = ListedModel.in(path).withPluginSettings(args);
      return batching.map(plain::withBatching).orElse(plain);
    }
  }

  /**
   * Models that are run one behind the other.
   *
   * @param id by which requests may name it
   * @param path the file that says so
   * @param models their ids
   */
  record Dag(String id, Path path, List<String> models) {}

  private static final String CUSTOMIZED = "customized";
  private static final Set<String> INFERERS = Set.of("torch", "tensorflow", "tensorrt", CUSTOMIZED);

  private static final Set<String> CONVERTERS =
      Set.of("torch", "tensorflow", "tensorrt", CUSTOMIZED, "none");
  private static final String INFERER_WANTED = "torch, tensorflow, tensorrt or customized";
  private static final String CONVERTER_WANTED = "torch, tensorflow, tensorrt, customized or none";
  private static final List<String> FORMATS =
      List.of("model.onnx", "saved_model.pb", "saved_model.pbtxt");

  private static final String CONVERTER_PATH = "converter_path";
  private static final int LONGEST_WAIT_MICROS = 600_000_000;

  /**
   * @param folder what relative paths in it are relative to
   */
  static GrpsInferenceFile read(Path path, Path folder) {
    GrpsFile file = GrpsFile.open(path);
    Section root = file.root();
    List<Model> models = new ArrayList<>();
    for (Setting model : GrpsFile.required(root, "models", "a list of models").elements()) {
      models.add(model(model, folder, file, models));
    }
    Optional<Dag> dag =
        GrpsFile.table(root, "dag").map(section -> dag(section, path, models, file));
    file.noteUnread(root);
    return new GrpsInferenceFile(
        models,
        dag.map(GrpsInferenceFile::defaultModel),
        dag.filter(several -> several.models.size() > 1),
        file.text(),
        file.unused());
  }

  private static String defaultModel(Dag dag) {
    return dag.models.size() == 1 ? dag.models.getFirst() : dag.id;
  }

  private static Model model(Setting setting, Path folder, GrpsFile file, List<Model> before) {
    Section model = setting.section();
    Setting name = GrpsFile.required(model, "name", "a name");
    Setting version = GrpsFile.required(model, "version", "a version such as 1.0.0");
    String id = name.text() + "-" + version.text();
    if (before.stream().anyMatch(other -> other.id.equals(id))) {
      throw name.wanted("another name or version: " + id + " is there already");
    }
    oneOf(model, "inferer_type", INFERERS, INFERER_WANTED);
    Setting converter = oneOf(model, "converter_type", CONVERTERS, CONVERTER_WANTED);
    Optional<BatchingConfig> batching =
        GrpsFile.table(model, "batching").map(section -> batching(section, file));
    Path path = path(model, folder);
    boolean converts = converter.text().equals(CUSTOMIZED);
    boolean code = holdsJar(path);
    if (converts && !code) {
      throw converter.wanted("a jar with the converter's code in inferer_path, " + path);
    }
    Map<String, String> args = code ? args(model, converts, folder) : Map.of();
    model
        .value("device")
        .filter(device -> !device.text().equalsIgnoreCase("cpu"))
        .ifPresent(file::noteUnused);
    file.noteUnread(model);
    return new Model(id, name.text(), path, batching, args, GrpsFile.text(setting.node()));
  }

  private static Setting oneOf(Section model, String key, Set<String> words, String wanted) {
    Setting setting = GrpsFile.required(model, key, wanted);
    if (!words.contains(setting.text())) {
      throw setting.wanted(wanted);
    }
    return setting;
  }

  private static Path path(Section model, Path folder) {
    String wanted =
        "an ONNX file, or a folder with model.onnx, saved_model.pb or a jar, below " + folder;
    Setting setting = GrpsFile.required(model, "inferer_path", wanted);
    Path path;
    try {
      path = folder.resolve(setting.text()).normalize();
    } catch (InvalidPathException _) {
      throw setting.wanted(wanted);
    }
    boolean isModel =
        Files.isRegularFile(path)
            ? path.toString().endsWith(".onnx")
            : FORMATS.stream().anyMatch(name -> Files.isRegularFile(path.resolve(name)))
                || holdsJar(path);
    if (!isModel) {
      throw setting.wanted(wanted);
    }
    return path;
  }

  /** Returns whether a plugin lies there. */
  private static boolean holdsJar(Path folder) {
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
      return jars.iterator().hasNext();
    } catch (IOException _) {
      // no folder, or none that can be read: the search for a model reports it
      return false;
    }
  }

  /**
   * Returns what the code in a jar is given: the name and the arguments of the converter or the
   * inferer that it is. A jar has one of each, so the name says what that is to be. Lists and
   * tables among them are texts of JSON.
   */
  private static Map<String, String> args(Section model, boolean converts, Path folder) {
    var args = new LinkedHashMap<String, String>();
    String called = converts ? "converter_name" : "inferer_name";
    model
        .value(called)
        .map(Setting::text)
        .filter(text -> !text.isBlank())
        .ifPresent(text -> args.put(called, text));
    if (converts) {
      model
          .value(CONVERTER_PATH)
          .ifPresent(path -> args.put(CONVERTER_PATH, resolved(path, folder)));
    }
    model
        .value(converts ? "converter_args" : "inferer_args")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((name, arg) -> args.put(name, text(arg.node())));
    return args;
  }

  private static String resolved(Setting path, Path folder) {
    try {
      return folder.resolve(path.text()).normalize().toString();
    } catch (InvalidPathException _) {
      throw path.wanted("a path, relative to " + folder);
    }
  }

  private static String text(JsonNode arg) {
    return arg.isContainerNode() ? arg.toString() : arg.asText("");
  }

  private static BatchingConfig batching(Section batching, GrpsFile file) {
    Setting type = GrpsFile.required(batching, "type", "none or dynamic");
    int largest = batching.number("max_batch_size", 1, 1, BatchingConfig.LARGEST_BATCH);
    int micros = batching.number("batch_timeout_us", 0, 1, LONGEST_WAIT_MICROS);
    file.noteUnread(batching);
    return switch (type.text()) {
      case "none" -> BatchingConfig.DEFAULT;
      case "dynamic" ->
          new BatchingConfig(
              largest, largest > 1, Duration.of(micros, ChronoUnit.MICROS), List.of(), List.of());
      default -> throw type.wanted("none or dynamic");
    };
  }

  private static Dag dag(Section dag, Path path, List<Model> models, GrpsFile file) {
    Setting type = GrpsFile.required(dag, "type", "sequential");
    if (!type.text().equals("sequential")) {
      throw type.wanted("sequential");
    }
    String id = dag.value("name").map(Setting::text).filter(name -> !name.isEmpty()).orElse("dag");
    Setting nodes = GrpsFile.required(dag, "nodes", "a list of nodes");
    List<String> names = nodes.elements().stream().map(node -> node(node, models, file)).toList();
    if (names.isEmpty()) {
      throw nodes.wanted("one node or more");
    }
    file.noteUnread(dag);
    return new Dag(free(id, models), path, names);
  }

  /** Returns a name that no model has, since requests find models and the DAG by one name. */
  private static String free(String id, List<Model> models) {
    boolean taken = models.stream().anyMatch(model -> model.id.equals(id) || model.name.equals(id));
    return taken ? free(id + "-dag", models) : id;
  }

  private static String node(Setting setting, List<Model> models, GrpsFile file) {
    Section node = setting.section();
    node.value("name");
    Setting type = GrpsFile.required(node, "type", "model");
    if (!type.text().equals("model")) {
      throw type.wanted("model");
    }
    List<String> ids = models.stream().map(Model::id).toList();
    Setting model = GrpsFile.required(node, "model", "one of " + String.join(", ", ids));
    if (!ids.contains(model.text())) {
      throw model.wanted("one of " + String.join(", ", ids));
    }
    file.noteUnread(node);
    return model.text();
  }
}
