import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of a jar that were compiled for Java 5 the form of Java 8: with stack maps, by
 * which they are verified. The Java VM takes no class without them into its AOT cache, so it would
 * read, verify and link such a jar at each start. What the classes do stays as it is. A jar without
 * such classes is left alone, and so is one that was rewritten before.
 */
final class StackMaps {
  private static final int JAVA_6 = 50;

  private static final String NOTICE =
      """
      The classes of this jar are those that its authors published, with one change: the build of
      Sluice has raised their format to that of Java 8, with the stack maps that it asks for.
      """;

  private StackMaps() {}

  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      throw new IllegalArgumentException("wanted: jar");
    }
    Path jar = Path.of(args[0]);
    Path rewritten = jar.resolveSibling(jar.getFileName() + ".rewritten");
    boolean changed;
    try (var in = new ZipFile(jar.toFile());
        var own = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        var out = Files.newOutputStream(rewritten)) {
      changed = rewrite(in, own, out);
    }
    if (changed) {
      Files.move(rewritten, jar, StandardCopyOption.REPLACE_EXISTING);
    } else {
      Files.delete(rewritten);
    }
  }

  /** Keeps the order and the times of the entries: the same bytes for the same jar. */
  private static boolean rewrite(ZipFile in, ClassLoader own, OutputStream to) throws IOException {
    ClassFile format =
        ClassFile.of(
            StackMapsOption.GENERATE_STACK_MAPS,
            ConstantPoolSharingOption.NEW_POOL,
            ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(own)));
    boolean changed = false;
    try (var out = new ZipOutputStream(to)) {
      for (ZipEntry entry : Collections.list(in.entries())) {
        byte[] bytes = in.getInputStream(entry).readAllBytes();
        if (entry.getName().matches("META-INF/.*\\.(SF|RSA|DSA|EC)")) {
          throw new IllegalStateException(in.getName() + " is signed; wanted one that may change");
        }
        if (entry.getName().endsWith(".class")) {
          ClassModel old = format.parse(bytes);
          if (old.majorVersion() < JAVA_6) {
            bytes = raise(format, old);
            changed = true;
          }
        }
        put(out, entry, entry.getName(), bytes);
      }
      if (changed) {
        ZipEntry first = in.entries().nextElement();
        put(out, first, "META-INF/NOTICE.sluice", NOTICE.getBytes(StandardCharsets.UTF_8));
      }
    }
    return changed;
  }

  private static byte[] raise(ClassFile format, ClassModel old) {
    byte[] raised =
        format.transformClass(
            old,
            ClassTransform.ACCEPT_ALL.andThen(
                ClassTransform.endHandler(
                    builder -> builder.withVersion(ClassFile.JAVA_8_VERSION, 0))));
    var faults = format.verify(raised);
    if (!faults.isEmpty()) {
      throw new IllegalStateException(old.thisClass().asInternalName() + ": " + faults);
    }
    return raised;
  }

  private static void put(ZipOutputStream out, ZipEntry like, String name, byte[] bytes)
      throws IOException {
    var entry = new ZipEntry(name);
    entry.setTimeLocal(like.getTimeLocal());
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }
}
