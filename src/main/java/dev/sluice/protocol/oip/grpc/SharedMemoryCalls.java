package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.MessageLite;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.SharedMemoryRegion;
import dev.sluice.protocol.oip.SharedMemoryRegions;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryStatusResponse;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryUnregisterRequest;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryUnregisterResponse;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryRegisterResponse;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryStatusResponse;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryUnregisterRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryUnregisterResponse;
import dev.sluice.transport.Exchange;

/** Registers and lists regions of shared memory. */
record SharedMemoryCalls(SharedMemoryRegions regions) {
  MessageLite status(SystemSharedMemoryStatusRequest request, Exchange call) {
    var caller = SharedMemory.of(regions, call).require();
    var answer = SystemSharedMemoryStatusResponse.newBuilder();
    for (SharedMemoryRegion region : regions.status(caller, request.getName())) {
      answer.putRegions(
          region.name(),
          SystemSharedMemoryStatusResponse.RegionStatus.newBuilder()
              .setName(region.name())
              .setKey(region.key())
              .setOffset(region.offset())
              .setByteSize(region.byteSize())
              .build());
    }
    return answer.build();
  }

  /** May block. */
  MessageLite register(SystemSharedMemoryRegisterRequest request, SharedMemory memory) {
    regions.register(
        memory.require(),
        request.getName(),
        request.getKey(),
        request.getOffset(),
        request.getByteSize());
    return SystemSharedMemoryRegisterResponse.getDefaultInstance();
  }

  MessageLite unregister(SystemSharedMemoryUnregisterRequest request, Exchange call) {
    var caller = SharedMemory.of(regions, call).require();
    if (request.getName().isEmpty()) {
      regions.unregisterAll(caller);
    } else {
      regions.unregister(caller, request.getName());
    }
    return SystemSharedMemoryUnregisterResponse.getDefaultInstance();
  }

  MessageLite cudaStatus(CudaSharedMemoryStatusRequest request, Exchange call) {
    SharedMemory.of(regions, call).require();
    if (!request.getName().isEmpty()) {
      throw new InferenceException(
          ErrorCode.NOT_FOUND,
          "Unable to find cuda shared memory region: '" + Excerpt.of(request.getName()) + "'");
    }
    return CudaSharedMemoryStatusResponse.getDefaultInstance();
  }

  MessageLite cudaRegister(CudaSharedMemoryRegisterRequest request, Exchange call) {
    SharedMemory.of(regions, call).require();
    throw SharedMemory.noCuda(request.getName());
  }

  MessageLite cudaUnregister(CudaSharedMemoryUnregisterRequest request, Exchange call) {
    SharedMemory.of(regions, call).require();
    return CudaSharedMemoryUnregisterResponse.getDefaultInstance();
  }
}
