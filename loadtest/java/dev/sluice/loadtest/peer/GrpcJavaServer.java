package dev.sluice.loadtest.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse.InferOutputTensor;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The same message served by grpc-java as its authors advise for speed: Netty's epoll, no executor
 * behind it, generated classes. Each event loop runs a session of its own, inline.
 */
public final class GrpcJavaServer extends GRPCInferenceServiceImplBase {
  private static final int WINDOW = 16 * 1024 * 1024;

  private final ThreadLocal<SessionRuns> sessions;

  private GrpcJavaServer(Path folder) {
    this.sessions = ThreadLocal.withInitial(() -> new SessionRuns(folder));
  }

  /**
   * Serves until killed.
   *
   * @param arguments the folder of a model's version
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int loops = Runtime.getRuntime().availableProcessors();
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .channelType(EpollServerSocketChannel.class)
            .bossEventLoopGroup(new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()))
            .workerEventLoopGroup(
                new MultiThreadIoEventLoopGroup(loops, EpollIoHandler.newFactory()))
            .directExecutor()
            .flowControlWindow(WINDOW)
            .maxInboundMessageSize(WINDOW)
            .addService(new GrpcJavaServer(Path.of(arguments[0])))
            .build()
            .start();
    System.out.println("http://127.0.0.1:" + server.getPort());
    server.awaitTermination();
  }

  @Override
  public void modelInfer(ModelInferRequest request, StreamObserver<ModelInferResponse> observer) {
    observer.onNext(infer(request));
    observer.onCompleted();
  }

  private ModelInferResponse infer(ModelInferRequest request) {
    SessionRuns session = sessions.get();
    ByteString content = request.getRawInputContents(0);
    try (NamedTensor in = session.input(MemorySegment.ofBuffer(content.asReadOnlyByteBuffer()))) {
      List<NamedTensor> outputs = session.run(in);
      try {
        return response(request, outputs);
      } finally {
        NamedTensor.closeAll(outputs);
      }
    }
  }

  private static ModelInferResponse response(ModelInferRequest request, List<NamedTensor> outputs) {
    var response = ModelInferResponse.newBuilder();
    response.setModelName(request.getModelName()).setModelVersion("1");
    for (NamedTensor output : outputs) {
      var head = InferOutputTensor.newBuilder().setName(output.name()).setDatatype("FP32");
      Shape shape = output.tensor().shape();
      for (int i = 0; i < shape.rank(); i++) {
        head.addShape(shape.dim(i));
      }
      byte[] bytes = output.tensor().data().toArray(ValueLayout.JAVA_BYTE);
      response.addOutputs(head).addRawOutputContents(UnsafeByteOperations.unsafeWrap(bytes));
    }
    return response.build();
  }
}
