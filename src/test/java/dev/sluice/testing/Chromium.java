package dev.sluice.testing;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Headless Chromium with one tab, driven by the DevTools protocol. Looks up no host names; {@link
 * #HOSTILE_HOST} is this machine. For the test's own thread.
 */
public final class Chromium implements AutoCloseable {
  /** The name of a site that an attacker owns, which leads to this machine. */
  public static final String HOSTILE_HOST = "evil.test";

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final String LISTENS = "DevTools listening on ";
  private static final int TIMEOUT_SECONDS = 120;

  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();
  private final CompletableFuture<URI> devTools = new CompletableFuture<>();
  private final Tab tab = new Tab();
  private final WebSocket socket;
  private int calls;

  private Chromium(Process process) throws IOException {
    this.process = process;
    Thread.ofVirtual().start(this::readErrors);
    try {
      this.socket = await(http.newWebSocketBuilder().buildAsync(openTab(), tab));
      call("Page.enable", new JsonObject());
      call("Page.setLifecycleEventsEnabled", new JsonObject().put("enabled", true));
    } catch (IOException | RuntimeException e) {
      end(process);
      throw e;
    }
  }

  /**
   * Starts a browser from the PATH.
   *
   * @param profile an empty folder for its files
   * @throws AssertionError if no browser is installed
   */
  public static Chromium start(Path profile) throws IOException {
    return new Chromium(
        new ProcessBuilder(
                find().toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--no-proxy-server",
                "--host-resolver-rules=MAP "
                    + HOSTILE_HOST
                    + " 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
                "--user-data-dir=" + profile,
                "--remote-debugging-port=0",
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  private static Path find() {
    List<Path> folders =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1)).map(Path::of).toList();
    return NAMES.stream()
        .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no browser on the PATH, wanted one of " + NAMES));
  }

  /** Reads until the process ends, so that it never waits for a reader. */
  private void readErrors() {
    List<String> lines = new ArrayList<>();
    try (BufferedReader errors = process.errorReader()) {
      for (String line = errors.readLine(); line != null; line = errors.readLine()) {
        if (line.startsWith(LISTENS)) {
          devTools.complete(URI.create(line.substring(LISTENS.length()).strip()));
        } else if (!devTools.isDone()) {
          lines.add(line);
        }
      }
      devTools.completeExceptionally(new IOException("the browser ended: " + lines));
    } catch (IOException e) {
      devTools.completeExceptionally(e);
    }
  }

  private URI openTab() throws IOException {
    URI create = URI.create("http://" + await(devTools).getAuthority() + "/json/new?about:blank");
    var request = HttpRequest.newBuilder(create).method("PUT", HttpRequest.BodyPublishers.noBody());
    String answer = await(http.sendAsync(request.build(), BodyHandlers.ofString())).body();
    return URI.create(new JsonObject(answer).getString("webSocketDebuggerUrl"));
  }

  /** Opens an address in the tab. Returns when the page is loaded. */
  public void open(String url) {
    JsonObject answer = call("Page.navigate", new JsonObject().put("url", url));
    if (answer.containsKey("errorText")) {
      throw new AssertionError(url + ": " + answer.getString("errorText"));
    }
    await(tab.loaded(answer.getString("loaderId")));
  }

  /** Returns the value of a script's expression in the open document; waits if it is a promise. */
  public Object evaluate(String expression) {
    var parameters =
        new JsonObject()
            .put("expression", expression)
            .put("awaitPromise", true)
            .put("returnByValue", true);
    JsonObject answer = call("Runtime.evaluate", parameters);
    if (answer.containsKey("exceptionDetails")) {
      throw new AssertionError(answer.getJsonObject("exceptionDetails").encode());
    }
    return answer.getJsonObject("result").getValue("value");
  }

  /** Has the system prefer a color scheme from now on: light or dark. */
  public void prefer(String colorScheme) {
    var feature = new JsonObject().put("name", "prefers-color-scheme").put("value", colorScheme);
    call(
        "Emulation.setEmulatedMedia",
        new JsonObject().put("features", new JsonArray().add(feature)));
  }

  /** Gives the tab a size in CSS pixels. */
  public void resize(int width, int height) {
    call(
        "Emulation.setDeviceMetricsOverride",
        new JsonObject()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", width < 600));
  }

  /** Presses a key, by its name in DevTools and its code. */
  public void press(String key, int code, String text) {
    var down =
        new JsonObject()
            .put("type", text.isEmpty() ? "rawKeyDown" : "keyDown")
            .put("key", key)
            .put("windowsVirtualKeyCode", code)
            .put("text", text);
    call("Input.dispatchKeyEvent", down);
    call("Input.dispatchKeyEvent", down.copy().put("type", "keyUp").put("text", ""));
  }

  /** Waits in the open document until an expression is true, however long that takes. */
  public void await(String expression) {
    evaluate(
        """
        new Promise(done => {
          const look = () => {
            let found = false;
            try { found = (%s); } catch { /* Not there yet. */ }
            if (found) { done(true); } else { setTimeout(look, 20); }
          };
          look();
        })\
        """
            .formatted(expression));
  }

  private JsonObject call(String method, JsonObject parameters) {
    int id = ++calls;
    CompletableFuture<JsonObject> answer = tab.expect(id);
    var call = new JsonObject().put("id", id).put("method", method).put("params", parameters);
    await(socket.sendText(call.encode(), true));
    JsonObject answered = await(answer);
    if (answered.containsKey("error")) {
      throw new AssertionError(method + ": " + answered.encode());
    }
    return answered.getJsonObject("result");
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    socket.abort();
    http.shutdownNow();
    end(process);
  }

  /** Ends the browser and the processes that it has started, and waits until they have ended. */
  private static void end(Process process) {
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(each -> await(each.onExit()));
  }

  /** What the tab answers, by the number of the call, and which documents it has loaded. */
  private static final class Tab implements WebSocket.Listener {
    private final ConcurrentHashMap<Integer, CompletableFuture<JsonObject>> expected =
        new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, CompletableFuture<Void>> loads =
        new ConcurrentHashMap<>();
    private final StringBuilder message = new StringBuilder();

    CompletableFuture<Void> loaded(String loader) {
      return loads.computeIfAbsent(loader, _ -> new CompletableFuture<>());
    }

    CompletableFuture<JsonObject> expect(int call) {
      var answer = new CompletableFuture<JsonObject>();
      expected.put(call, answer);
      return answer;
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
      message.append(part);
      if (last) {
        take(new JsonObject(message.toString()));
        message.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    private void take(JsonObject whole) {
      CompletableFuture<JsonObject> answer = expected.remove(whole.getInteger("id", 0));
      if (answer != null) {
        answer.complete(whole);
      } else if (whole.getString("method", "").equals("Page.lifecycleEvent")) {
        JsonObject event = whole.getJsonObject("params");
        if (event.getString("name").equals("load")) {
          loaded(event.getString("loaderId")).complete(null);
        }
      }
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      expected.values().forEach(answer -> answer.completeExceptionally(error));
    }
  }
}
