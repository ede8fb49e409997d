package dev.sluice.testing;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The Javadoc of a package, as Markdown: of types under their names ({@code Outer.Inner}), of
 * record components, constants and fields under the type's name, a full stop and their own.
 */
public final class SourceDocs {
  private final Map<String, String> docs = new HashMap<>();

  private SourceDocs() {}

  /** Parses every source file below a folder, without resolving what they use. */
  public static SourceDocs of(Path folder) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var read = new SourceDocs();
    try (var manager = compiler.getStandardFileManager(null, null, null);
        Stream<Path> found = Files.walk(folder)) {
      List<Path> files = found.filter(file -> file.toString().endsWith(".java")).sorted().toList();
      var task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  _ -> {},
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      var scanner = read.new Scanner(DocTrees.instance(task));
      task.parse().forEach(unit -> scanner.scan(unit, null));
    }
    return read;
  }

  /** The text of a type or of a member; empty if it has none. */
  public Optional<String> find(String name) {
    return Optional.ofNullable(docs.get(name));
  }

  /** The text of a type or of a member, which has to have one. */
  public String get(String name) {
    return find(name).orElseThrow(() -> new AssertionError(name + " has no Javadoc"));
  }

  private final class Scanner extends TreePathScanner<Void, Void> {
    private final DocTrees trees;
    private String outer = "";

    Scanner(DocTrees trees) {
      this.trees = trees;
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      String before = outer;
      outer =
          before.isEmpty() ? type.getSimpleName().toString() : before + "." + type.getSimpleName();
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null) {
        docs.put(outer, markdown(comment.getFullBody()));
        for (DocTree tag : comment.getBlockTags()) {
          if (tag instanceof ParamTree parameter) {
            docs.put(outer + "." + parameter.getName(), markdown(parameter.getDescription()));
          }
        }
      }
      super.visitClass(type, null);
      outer = before;
      return null;
    }

    @Override
    public Void visitVariable(VariableTree field, Void none) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null) {
        docs.put(outer + "." + field.getName(), markdown(comment.getFullBody()));
      }
      return super.visitVariable(field, null);
    }
  }

  private static String markdown(List<? extends DocTree> parts) {
    return parts.stream()
        .map(SourceDocs::markdown)
        .collect(Collectors.joining())
        .replaceAll("\\s+", " ")
        .strip();
  }

  private static String markdown(DocTree part) {
    return switch (part) {
      case LiteralTree literal ->
          "`" + literal.getBody().getBody().strip().replaceAll("\\s+", " ") + "`";
      case LinkTree link ->
          link.getLabel().isEmpty()
              ? "`" + link.getReference().getSignature().replace('#', '.') + "`"
              : markdown(link.getLabel());
      default -> part.toString();
    };
  }
}
