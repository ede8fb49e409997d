package dev.sluice.runtime.tensorflow;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.runtime.NativeMemory;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Copies BYTES elements to and from arrays of TF_TString, byte by byte as is. */
final class TfStrings {
  /** The C function that frees what {@link #write} allocated, on whichever thread is last. */
  private static final long DEALLOCATOR = deallocator();

  private TfStrings() {}

  /** Returns a native tensor with these elements, for the caller to delete. */
  static long write(Tensor tensor, long dims, int rank) {
    long count = tensor.elementCount();
    long bytes = Math.multiplyExact(count, TfApi.STRING_SIZE);
    long array = NativeMemory.allocate(bytes);
    var elements = new BytesElements(tensor);
    for (long string = array; elements.next(); string += TfApi.STRING_SIZE) {
      long source = elements.data().address() + elements.offset();
      TfApi.stringInit(string);
      TfApi.stringCopy(string, source, elements.length());
    }
    return TfApi.newTensor(TfTypes.STRING, dims, rank, array, bytes, DEALLOCATOR);
  }

  /** Returns a BYTES tensor with the elements of an array, which stays the caller's. */
  static Tensor read(long array, Shape shape) {
    long end = array + shape.elementCount() * TfApi.STRING_SIZE;
    try (var builder = new TensorBuilder(DataType.BYTES, size(array, end))) {
      for (long string = array; string < end; string += TfApi.STRING_SIZE) {
        int length = Math.toIntExact(TfApi.stringGetSize(string));
        long data = TfApi.stringGetDataPointer(string);
        builder.putBytes(NativeMemory.at(data, length), 0, length);
      }
      return builder.build(shape);
    }
  }

  private static long size(long array, long end) {
    long size = 0;
    for (long string = array; string < end; string += TfApi.STRING_SIZE) {
      size += BytesElements.LENGTH.byteSize() + TfApi.stringGetSize(string);
    }
    return size;
  }

  /** Frees a tensor; called by TensorFlow. */
  static void deallocate(MemorySegment array, long bytes, MemorySegment unused) {
    long end = array.address() + bytes;
    for (long string = array.address(); string < end; string += TfApi.STRING_SIZE) {
      TfApi.stringDealloc(string);
    }
    NativeMemory.free(array.address());
  }

  private static long deallocator() {
    try {
      var type =
          MethodType.methodType(void.class, MemorySegment.class, long.class, MemorySegment.class);
      var method = MethodHandles.lookup().findStatic(TfStrings.class, "deallocate", type);
      var descriptor = FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, ADDRESS);
      return Linker.nativeLinker().upcallStub(method, descriptor, Arena.global()).address();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this class has a method deallocate", e);
    }
  }
}
