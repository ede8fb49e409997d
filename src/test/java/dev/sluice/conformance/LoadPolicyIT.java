package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelRepositoryParameter;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfigList;
import dev.sluice.protocol.tfs.grpc.proto.ModelServerConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is loaded from where no setting allows it, and nothing that is code. */
@Timeout(120)
class LoadPolicyIT {
  private static final Path SAVED = Path.of("src/test/models/tfs/half_plus_two/00000123");

  @TempDir Path temp;
  private Path root;
  private Path outside;

  @BeforeEach
  void folders() throws IOException {
    root = Files.createDirectory(temp.toRealPath().resolve("models"));
    outside = Files.createDirectory(temp.toRealPath().resolve("outside"));
    TestModels.copy(SAVED, root.resolve("two/123"));
    TestModels.copy(SAVED, outside.resolve("two/123"));
  }

  private static RunningServer start(DesiredModels models, TrustConfig trust) {
    return RunningServer.start(
        RunningServer.settings(
            RunningServer.LISTENER,
            RecordCopy.with(RepositoryConfig.of(models, Duration.ofMillis(50)), "trust", trust)));
  }

  private RunningServer start(TrustConfig trust) {
    return start(new DesiredModels(root, Map.of()), trust);
  }

  private static void reload(RunningServer server, String name, Path folder) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      ModelServiceGrpc.newBlockingStub(channel)
          .handleReloadConfigRequest(
              ReloadConfigRequest.newBuilder()
                  .setConfig(
                      ModelServerConfig.newBuilder()
                          .setModelConfigList(
                              ModelConfigList.newBuilder()
                                  .addConfig(
                                      ModelConfig.newBuilder()
                                          .setName(name)
                                          .setBasePath(folder.toString())
                                          .setModelPlatform("tensorflow"))))
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void folderOutsideTheRootsIsRefusedAndWhatServedStillServes() {
    try (var server = start(TrustConfig.DEFAULT)) {
      for (Path path :
          List.of(outside.resolve("two"), root.resolve("../outside/two"), Path.of("/no/such"))) {
        assertThatThrownBy(() -> reload(server, "x", path))
            .hasMessageStartingWith("PERMISSION_DENIED: Model x: " + path)
            .hasMessageContaining("(" + root + ")")
            .hasMessageContaining("models.roots");
      }
      assertThat(server.control().ready()).isTrue();
      assertThat(server.control().models()).containsExactly("two");
      reload(server, "x", root.resolve("two"));
      assertThat(server.control().models()).contains("x");
    }
  }

  @Test
  void linkThatLeadsOutIsRefusedWhenItIsNamed() throws IOException {
    Files.createSymbolicLink(root.resolve("link"), outside.resolve("two"));
    try (var server = start(new DesiredModels(root.resolve("two"), Map.of()), rootsOf(root))) {
      assertThatThrownBy(() -> reload(server, "x", root.resolve("link")))
          .hasMessageStartingWith("PERMISSION_DENIED")
          .hasMessageContaining("which is " + outside.resolve("two"));
    }
  }

  @Test
  void linkOfAVersionOrOfAFileThatLeadsOutIsRefusedWhenItIsLoaded() throws IOException {
    Files.createDirectory(root.resolve("version"));
    Files.createSymbolicLink(root.resolve("version/1"), outside.resolve("two/123"));
    TestModels.copy(SAVED, root.resolve("file/1"));
    Files.delete(root.resolve("file/1/saved_model.pb"));
    Files.createSymbolicLink(
        root.resolve("file/1/saved_model.pb"), outside.resolve("two/123/saved_model.pb"));
    TestModels.copy(SAVED, root.resolve("within/1"));
    Files.createSymbolicLink(root.resolve("within/2"), root.resolve("two/123"));
    try (var server = start(DesiredModels.only(Map.of()), rootsOf(root))) {
      for (String name : List.of("version", "file")) {
        assertThatThrownBy(() -> reload(server, name, root.resolve(name)))
            .hasMessageContaining("which is " + outside)
            .hasMessageContaining("models.roots");
      }
      reload(server, "within", root.resolve("within"));
      server.awaitReconciled();
      assertThat(server.control().ready()).isTrue();
    }
  }

  private static TrustConfig rootsOf(Path root) {
    return new TrustConfig(List.of(root), Set.of(), List.of(), false);
  }

  @Test
  void operatorMayLinkAnywhere() throws IOException {
    Files.createSymbolicLink(root.resolve("linked"), outside.resolve("two"));
    try (var server = start(TrustConfig.DEFAULT)) {
      assertThat(server.control().models()).containsExactly("linked", "two");
      assertThat(server.control().ready()).isTrue();
    }
  }

  private static void jar(Path folder) {
    new PluginJar().file("Echo").service("Model", "Echo").into(folder);
  }

  @Test
  void jarThatNoSettingAllowsIsALoadErrorThatNamesTheSetting() {
    jar(root.resolve("code/1"));
    try (var server = start(TrustConfig.DEFAULT);
        var http = new HttpCaller(server.port())) {
      assertThat(server.control().versions("code").orElseThrow().getFirst().error().orElseThrow())
          .extracting("message")
          .asString()
          .contains(root.resolve("code/1/model.jar").toString())
          .contains("models.plugins to name the model 'code'");
      assertThat(http.send("GET", "/v1/models/code", Buffer.buffer()).text())
          .contains("models.plugins");
      assertThat(http.send("GET", "/v2/models/two/ready", Buffer.buffer()).status()).isEqualTo(200);
    }
  }

  @Test
  void jarRunsWhereASettingNamesTheModelOrTheFolder() {
    jar(root.resolve("code/1"));
    for (TrustConfig trust :
        List.of(
            new TrustConfig(List.of(), Set.of("code"), List.of(), false),
            TrustConfig.DEFAULT.withPluginFolders(List.of(root.resolve("code"))))) {
      try (var server = start(trust)) {
        assertThat(server.control().ready()).isTrue();
      }
    }
  }

  @Test
  void linkToAJarOutsideTheFolderThatIsAllowedDoesNotRun() throws IOException {
    jar(outside.resolve("code"));
    Files.createDirectories(root.resolve("code/1"));
    Files.createSymbolicLink(root.resolve("code/1/model.jar"), outside.resolve("code/model.jar"));
    try (var server = start(TrustConfig.DEFAULT.withPluginFolders(List.of(root)))) {
      assertThat(server.control().ready()).isFalse();
    }
  }

  @Test
  void nameOfAModelDoesNotAllowAJarInAFolderThatACallerChose() {
    jar(root.resolve("uploads/1"));
    var wanted = DesiredModels.only(Map.of("two", ListedModel.in(root.resolve("two"))));
    var trust = new TrustConfig(List.of(root), Set.of("code"), List.of(), false);
    try (var server = start(wanted, trust)) {
      assertThatThrownBy(() -> reload(server, "code", root.resolve("uploads")))
          .hasMessageContaining("models.plugins to name the folder");
    }
  }

  @Test
  void savedModelThatComesWithALoadIsRefusedUnlessASettingAllowsIt() throws IOException {
    for (String name : List.of("1/saved_model.pb", "1/model.savedmodel/saved_model.pbtxt")) {
      try (var server = startExplicit(TrustConfig.DEFAULT)) {
        assertThatThrownBy(() -> upload(server, name))
            .hasMessageStartingWith("INVALID_ARGUMENT")
            .hasMessageContaining("models.uploaded_saved_models");
      }
    }
    try (var server = startExplicit(new TrustConfig(List.of(), Set.of(), List.of(), true))) {
      assertThatThrownBy(() -> upload(server, "1/saved_model.pb"))
          .hasMessageContaining("load failed")
          .hasMessageNotContaining("models.uploaded_saved_models");
    }
  }

  private RunningServer startExplicit(TrustConfig trust) {
    return RunningServer.start(
        RunningServer.settings(
            RunningServer.LISTENER,
            RecordCopy.with(
                RepositoryConfig.of(new DesiredModels(root, Map.of()), Duration.ZERO)
                    .withControl(new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of(), true)),
                "trust",
                trust)));
  }

  private static void upload(RunningServer server, String file) throws IOException {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      GRPCInferenceServiceGrpc.newBlockingStub(channel)
          .repositoryModelLoad(
              RepositoryModelLoadRequest.newBuilder()
                  .setModelName("up")
                  .putParameters(
                      "config", ModelRepositoryParameter.newBuilder().setStringParam("{}").build())
                  .putParameters(
                      "file:" + file,
                      ModelRepositoryParameter.newBuilder()
                          .setBytesParam(ByteString.copyFromUtf8("not a model"))
                          .build())
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }
}
