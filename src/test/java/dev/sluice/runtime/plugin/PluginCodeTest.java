package dev.sluice.runtime.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Setup;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.serving.plugin.PluginMetrics;
import dev.sluice.testing.NoModels;
import dev.sluice.testing.PluginJar;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a plugin is found, what is said if it is not, and that nothing of it stays. */
@Timeout(60)
class PluginCodeTest {
  private static final String HANDLER =
      """
      import dev.sluice.extension.*;
      public class %s implements HttpHandler {
        %s
        public void handle(HttpRequest request, HttpReply reply) {}
      }
      """;

  @TempDir Path folder;

  private Setup setup() {
    return setupIn(folder);
  }

  private static Setup setupIn(Path folder) {
    return new Setup(
        "mine",
        1,
        folder,
        Map.of(),
        new NoModels(),
        new PluginMetrics().of(new ModelId("mine", 1)));
  }

  private static PluginJar handler(String name, String constructor) {
    return new PluginJar().source(name, HANDLER.formatted(name, constructor));
  }

  private void fails(String... parts) {
    assertThatThrownBy(() -> PluginCode.open(setup(), () -> {}))
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
              assertThat(e.getMessage()).contains("model.jar: ").contains(parts);
            });
  }

  @Test
  void jarsInAFolderAreFound() {
    assertThat(PluginCode.jarsIn(folder)).isEmpty();
    handler("One", "").service("HttpHandler", "One").into(folder);
    assertThat(PluginCode.jarsIn(folder)).isNotEmpty();
    try (PluginCode code = PluginCode.open(setup(), () -> {})) {
      assertThat(code.handler()).isPresent();
      assertThat(code.model()).isEmpty();
    }
  }

  @Test
  void whatAPluginHadIsClosedIfItCannotBeLoadedAtAll() {
    var closed = new AtomicInteger();
    Setup nowhere = setupIn(folder.resolve("nowhere"));
    assertThatThrownBy(() -> PluginCode.open(nowhere, closed::incrementAndGet)).isNotNull();
    assertThat(closed).hasValue(1);
  }

  @Test
  void jarWithoutAServiceIsRefused() {
    handler("One", "").into(folder);
    fails("no file in META-INF/services names a class");
  }

  @Test
  void severalOfAKindAreRefusedByName() {
    handler("One", "")
        .source("Two", HANDLER.formatted("Two", ""))
        .service("HttpHandler", "One\nTwo")
        .into(folder);
    fails("names One, Two as HttpHandler; wanted one");
  }

  @Test
  void serviceWhoseClassIsNotThereIsRefusedByName() {
    handler("One", "").service("HttpHandler", "Other").into(folder);
    fails("Other", "not found");
  }

  @Test
  void constructorThatThrowsIsReported() {
    handler("One", "public One() { throw new IllegalStateException(\"no key\"); }")
        .service("HttpHandler", "One")
        .into(folder);
    fails("the constructor of One threw java.lang.IllegalStateException: no key");
  }

  @Test
  void openThatFailsIsReported() {
    handler(
            "One",
            "public void open(Setup s) throws Exception { throw new Exception(\"no disk\"); }")
        .service("HttpHandler", "One")
        .into(folder);
    fails("One could not be opened: no disk");
  }

  @Test
  void converterBesideAModelIsRefused() {
    new PluginJar()
        .file("Doubler")
        .file("Missing")
        .source("Both", "public class Both implements dev.sluice.extension.Converter {}")
        .service("Model", "Doubler")
        .service("Converter", "Both")
        .into(folder);
    fails("there is a model and a converter");
  }

  @Test
  void serversLibrariesAreNotSeen() {
    handler("One", "public One() throws Exception { Class.forName(\"io.vertx.core.Vertx\"); }")
        .service("HttpHandler", "One")
        .into(folder);
    fails("ClassNotFoundException: io.vertx.core.Vertx");
  }

  @Test
  void oneClassOfSeveralKindsIsOneObject() {
    new PluginJar()
        .file("Doubler")
        .file("Missing")
        .service("Model", "Doubler")
        .service("StreamingModel", "Doubler")
        .into(folder);
    try (PluginCode code = PluginCode.open(setup(), () -> {})) {
      assertThat((Object) code.model().orElseThrow()).isSameAs(code.streaming().orElseThrow());
    }
  }

  @Test
  void classesAreCollectedAfterCallsAndClosing() throws Exception {
    handler("One", "").service("HttpHandler", "One").into(folder);
    WeakReference<ClassLoader> classes = useAndClose();
    while (classes.get() != null) {
      System.gc();
      Thread.onSpinWait();
    }
  }

  private WeakReference<ClassLoader> useAndClose() throws Exception {
    try (PluginCode code = PluginCode.open(setup(), () -> {});
        PluginThreads threads = PluginThreads.direct("mine", 2)) {
      var ended = new CompletableFuture<Answer>();
      new PluginCall<Answer>(threads, code, Duration.ofSeconds(30)) {
        @Override
        protected void prepare() {}

        @Override
        protected Answer call() {
          assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(code.classes());
          return Answer.of();
        }

        @Override
        protected void succeeded(Answer result) {
          ended.complete(result);
        }

        @Override
        protected void failed(InferenceException why) {
          ended.completeExceptionally(why);
        }
      }.start(Deadline.after(Duration.ofSeconds(30), System.nanoTime()));
      ended.get();
      return new WeakReference<>(code.classes());
    }
  }
}
