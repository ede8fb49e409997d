package dev.sluice;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may import whom. Changing the architecture is changing a line of these tables. */
class PackageRulesTest {
  private static final String BASE = "dev.sluice";
  private static final JavaClasses SERVER =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(BASE);

  @ParameterizedTest(name = "{0} uses only {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tensor       |
          config       | tensor
          extension    | tensor
          inference    | tensor
          telemetry    | tensor inference
          runtime      | tensor inference config extension
          text         | tensor inference config
          scheduling   | tensor inference config telemetry text
          security     | inference config telemetry
          repository   | tensor inference config telemetry
          serving      | tensor inference config telemetry text repository scheduling runtime extension
          serving.explain | tensor inference config
          transport    | tensor inference config telemetry security
          protocol     | tensor inference telemetry transport config.compat.triton.proto
          ops          | tensor inference config telemetry transport
          """)
  void packageUsesOnly(String name, @Nullable String allowed) {
    String[] others = allowed == null ? new String[0] : allowed.split(" ");
    String[] mayUse =
        Stream.concat(Stream.of(name), Arrays.stream(others))
            .map(other -> BASE + "." + other + "..")
            .toArray(String[]::new);
    classes()
        .that()
        .resideInAPackage(BASE + "." + name + "..")
        .should()
        .onlyDependOnClassesThat(
            DescribedPredicate.not(resideInAPackage(BASE + "..")).or(resideInAnyPackage(mayUse)))
        .allowEmptyShould(true)
        .check(SERVER);
  }

  @Test
  void servingKnowsThePlugInPointAndNoRuntime() {
    noClasses()
        .that()
        .resideInAPackage(BASE + ".serving..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(BASE + ".runtime.onnx..", BASE + ".runtime.tensorflow..")
        .allowEmptyShould(true)
        .check(SERVER);
  }

  @Test
  void noTwoPackagesUseEachOther() {
    slices().matching(BASE + ".(**)").should().beFreeOfCycles().check(SERVER);
  }

  @Test
  void protocolsDoNotKnowEachOther() {
    slices()
        .matching(BASE + ".protocol.(tfs|kserve|oip|grps|openai)..")
        .should()
        .notDependOnEachOther()
        .allowEmptyShould(true)
        .check(SERVER);
  }

  @Test
  void httpAndGrpcHandlersDoNotKnowEachOther() {
    slices()
        .matching(BASE + ".protocol.*.(http|grpc)..")
        .should()
        .notDependOnEachOther()
        .allowEmptyShould(true)
        .check(SERVER);
  }

  @Test
  void brpcHandlersKnowTheGrpcCodecAndNoHttp() {
    noClasses()
        .that()
        .resideInAPackage(BASE + ".protocol.*.brpc..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(BASE + ".protocol.*.http..")
        .check(SERVER);
  }

  /** The framework's own parts, which it may change in any version, are used in one room. */
  @Test
  void internalsOfVertxAreUsedInOneRoom() {
    noClasses()
        .that()
        .resideOutsideOfPackage(BASE + ".transport.netty..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx..impl..", "io.vertx..internal..", "io.vertx.core.spi..")
        .check(SERVER);
  }

  @ParameterizedTest(name = "{0} is used only in {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          io.vertx.core.eventbus..         | repository ops boot
          io.vertx.grpc..                  | transport boot
          com.google.protobuf..            | protocol.*.grpc protocol.codec.protobuf transport runtime.onnx runtime.tensorflow config.compat.triton boot.infer
          com.fasterxml.jackson..          | config protocol text boot
          ai.djl..                         | text
          org.apache.lucene..              | text.constraint
          org.yaml.snakeyaml..             | config
          picocli..                        | boot
          com.github.benmanes.caffeine..   | scheduling.caching security
          com.nimbusds..                   | security
          com.google.common..              | scheduling.caching
          io.opentelemetry..               | telemetry.span boot.otlp
          io.micrometer..                  | telemetry ops serving.plugin
          io.prometheus..                  | telemetry ops serving.plugin boot.otlp
          io.netty..                       | transport
          """)
  void libraryIsUsedOnlyIn(String library, String allowed) {
    String[] mayUse =
        Arrays.stream(allowed.split(" "))
            .map(name -> BASE + "." + name + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideOutsideOfPackages(mayUse)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(SERVER);
  }

  /** They read what a lease is of, or hand it over to a request: neither can forget one. */
  @Test
  void protocolsReleaseNoLease() {
    noClasses()
        .that()
        .resideInAPackage(BASE + ".protocol..")
        .should()
        .callMethod(ModelLease.class, "release")
        .orShould()
        .callMethod(InferenceRequest.class, "releaseModel")
        .check(SERVER);
  }

  @ParameterizedTest
  @CsvSource({"tensor", "runtime", "config"})
  void worksWithoutAnEventLoop(String name) {
    noClasses()
        .that()
        .resideInAPackage(BASE + "." + name + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.vertx..")
        .allowEmptyShould(true)
        .check(SERVER);
  }
}
