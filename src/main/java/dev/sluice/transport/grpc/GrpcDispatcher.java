package dev.sluice.transport.grpc;

import dev.sluice.config.security.RestrictedApi;
import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.AnsweredRequest;
import dev.sluice.transport.ArrivalDeadlines;
import dev.sluice.transport.BrowserGuard;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.RequestIds;
import dev.sluice.transport.grpc.message.MessageBody;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import dev.sluice.transport.netty.ConnectionCredentials;
import dev.sluice.transport.netty.http2.Http2Guard;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes the gRPC and gRPC-Web calls of one event loop to the methods they name.
 *
 * <p>Unary calls are taken from HTTP/2 frames before Vert.x makes requests of them; everything else
 * comes as Vert.x's request. Unknown methods are UNIMPLEMENTED.
 */
public final class GrpcDispatcher implements Consumer<HttpServerRequest> {
  private static final int PERMISSION_DENIED = 7;
  private static final int UNIMPLEMENTED = 12;
  private static final String GRPC = "application/grpc";
  private static final AsciiString POST = AsciiString.cached("POST");

  private final MethodTable methods;
  private final ListenerContext context;
  private final StandardServices standard;
  private final RequestIds ids = new RequestIds();
  private final IdleCallTimeouts idleTimeouts = new IdleCallTimeouts();
  private final MessageTurns turns;
  private final ArrivalDeadlines deadlines;
  private final boolean cors;

  /**
   * Maps paths to the methods of the protocol handlers.
   *
   * @param ready what the standard health service answers
   * @param cors whether pages from other origins may call, by gRPC-Web
   * @throws IllegalStateException if two handlers serve the same method
   */
  public GrpcDispatcher(
      List<GrpcProtocolHandler> protocolHandlers,
      ListenerContext context,
      BooleanSupplier ready,
      boolean cors) {
    this.context = context;
    this.cors = cors;
    this.turns =
        new MessageTurns(
            action -> context.vertx().setTimer(MessageTurns.TURN_MILLIS, _ -> action.run()));
    this.deadlines = new ArrivalDeadlines(context);
    this.standard = new StandardServices(context.vertx(), protocolHandlers, ready, turns);
    this.methods = new MethodTable(protocolHandlers);
    idleTimeouts.add(standard);
  }

  /** Takes the plain unary calls of an HTTP/2 connection from its frames. */
  public void opened(HttpConnection connection) {
    Http2Calls.follow(
        connection,
        (headers, frames, stream) -> call(connection, headers, frames, stream),
        idleTimeouts);
  }

  /** Returns whether a path is that of a method with a stream of messages. */
  public boolean isStream(String path) {
    return methods.stream(path) != null || StandardServices.serve(path);
  }

  /** The listener closes: a call that has sent nothing yet ends after a grace period. */
  public void closing() {
    idleTimeouts.endSoon(context.vertx());
  }

  private @Nullable Http2Call call(
      HttpConnection connection, Http2Headers headers, Http2Frames frames, Http2Stream stream) {
    CharSequence asked = headers.path();
    MethodTable.Unary method = methods.unary(asked == null ? "" : asked);
    if (method == null || !POST.contentEquals(headers.method()) || !GrpcForm.isPlain(headers)) {
      return null;
    }
    Function<CharSequence, @Nullable String> values = name -> text(headers.get(name));
    if (isAmbiguous(headers, method.operation())
        || context.guard().refusal(authority(headers)) != null) {
      // Vert.x makes a request of it, which is refused like all others.
      return null;
    }
    var head =
        new GrpcHead(
            connection, method.path(), () -> authority(headers), values, () -> entries(headers));
    return new Http2Call(
        frames,
        stream,
        at ->
            new UnaryCall(head, method, at, at, GrpcForm.GRPC, context, deadlines, ids.of(values)));
  }

  private static @Nullable String authority(Http2Headers headers) {
    CharSequence authority = headers.authority();
    return text(authority == null ? headers.get(HttpHeaders.HOST) : authority);
  }

  private static boolean isAmbiguous(Http2Headers headers, Operation operation) {
    return operation.isControl() && BrowserGuard.severalRefusal(headers::getAll) != null;
  }

  /** Without what HTTP/2 itself puts among them. */
  private static Iterator<Map.Entry<String, String>> entries(Http2Headers headers) {
    List<Map.Entry<String, String>> entries = new ArrayList<>();
    for (Map.Entry<CharSequence, CharSequence> header : headers) {
      String name = header.getKey().toString();
      if (!name.startsWith(":")) {
        entries.add(Map.entry(name, header.getValue().toString()));
      }
    }
    return entries.iterator();
  }

  private static @Nullable String text(@Nullable CharSequence value) {
    return value == null ? null : value.toString();
  }

  /** Returns whether a request is a gRPC call, or the CORS preflight request of one. */
  public boolean takes(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type == null
        ? cors && isPreflight(request)
        : type.regionMatches(true, 0, GRPC, 0, GRPC.length());
  }

  /** Answers with a status of gRPC where the request is a call. */
  private static void refuse(HttpServerRequest request, BrowserGuard.Refusal refusal) {
    boolean call = request.getHeader(HttpHeaders.CONTENT_TYPE) != null;
    GrpcForm form = call ? GrpcForm.of(request) : null;
    if (form == null) {
      request.response().setStatusCode(refusal.status()).end(refusal.text());
    } else {
      new GrpcReply(request, form).fail(PERMISSION_DENIED, refusal.text());
    }
  }

  private boolean isPreflight(HttpServerRequest request) {
    String path = request.path();
    return request.method().equals(HttpMethod.OPTIONS) && methods.contains(path);
  }

  private void answerPreflight(HttpServerRequest request) {
    if (methods.isControl(request.path())) {
      BrowserGuard.Refusal refusal =
          context.guard().preflightRefusal(request.method().name(), request::getHeader);
      if (refusal != null) {
        context.turnedAway(request.remoteAddress(), refusal);
      }
      request.response().setStatusCode(403).end();
    } else {
      GrpcWebCors.answerPreflight(request.response());
    }
  }

  /** The library would take JSON for messages too, which is not served here. */
  private void answerStandard(HttpServerRequest request) {
    GrpcForm form = GrpcForm.of(request);
    if (form == null || !request.method().equals(HttpMethod.POST)) {
      follow(request, "", false);
      request.response().setStatusCode(form == null ? 415 : 405).end();
      return;
    }
    Operation operation = StandardServices.operation(request.path());
    try {
      Caller caller =
          context
              .access()
              .caller(
                  ConnectionCredentials.of(request.headers(), request.connection()),
                  RestrictedApi.Wire.GRPC);
      follow(request, caller.identity(), operation.isProbe());
      caller.require(operation);
    } catch (InferenceException e) {
      if (e.code() == ErrorCode.UNAUTHENTICATED) {
        follow(request, "", false);
      }
      context.failed(ids.of(request), e);
      new GrpcReply(request, form).fail(GrpcStatus.of(e.code()), e.getMessage());
      return;
    }
    Http2Guard.answering(request);
    standard.answer(request);
  }

  /** Has a request logged that is not answered by a call. */
  private void follow(HttpServerRequest request, String identity, boolean probe) {
    if (context.accessLog() != null) {
      GrpcForm form =
          request.getHeader(HttpHeaders.CONTENT_TYPE) == null ? null : GrpcForm.of(request);
      String protocol = form == null ? AnsweredRequest.protocol(request) : form.protocol();
      AnsweredRequest.follow(request, context, protocol, identity, probe);
    }
  }

  private BrowserGuard.@Nullable Refusal refusal(HttpServerRequest request) {
    BrowserGuard.Refusal refusal = context.guard().refusal(request);
    return refusal == null && methods.isControl(request.path())
        ? BrowserGuard.severalRefusal(request.headers()::getAll)
        : refusal;
  }

  @Override
  public void accept(HttpServerRequest request) {
    BrowserGuard.Refusal refusal = refusal(request);
    if (refusal != null) {
      context.turnedAway(request.remoteAddress(), refusal);
      follow(request, "", false);
      refuse(request, refusal);
      return;
    }
    if (cors && isPreflight(request)) {
      follow(request, "", false);
      answerPreflight(request);
      return;
    }
    if (StandardServices.serve(request.path())) {
      answerStandard(request);
      return;
    }
    GrpcForm form = GrpcForm.of(request);
    if (form == null || !request.method().equals(HttpMethod.POST)) {
      follow(request, "", false);
      request.response().setStatusCode(form == null ? 415 : 405).end();
    } else {
      accept(request, form);
    }
  }

  private void accept(HttpServerRequest request, GrpcForm form) {
    if (cors && form != GrpcForm.GRPC && !methods.isControl(request.path())) {
      GrpcWebCors.allow(request.response());
    }
    var reply = new GrpcReply(request, form);
    MethodTable.Unary method = methods.unary(request.path());
    AuthorizedMethod<GrpcStreamMethod> stream = methods.stream(request.path());
    if (method != null) {
      call(request, form, reply, method);
    } else if (stream != null) {
      new StreamingCall(
              request, reply, form, context, ids.of(request), idleTimeouts, deadlines, turns)
          .start(stream);
    } else {
      follow(request, "", false);
      reply.fail(UNIMPLEMENTED, BoundedText.ofError("unknown method " + request.path()));
    }
  }

  private void call(
      HttpServerRequest request, GrpcForm form, GrpcReply reply, MethodTable.Unary method) {
    GrpcHead head = GrpcHead.of(request);
    var call =
        new UnaryCall(
            head, method, reply, new Pausing(request), form, context, deadlines, ids.of(request));
    reply.onSent(call::sent);
    call.begin();
    call.follow(request);
  }

  private record Pausing(HttpServerRequest request) implements MessageBody.Source {
    @Override
    public void pause() {
      request.pause();
    }

    @Override
    public void resume() {
      request.resume();
    }
  }
}
