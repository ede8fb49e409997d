package dev.sluice.testing;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The SavedModels that the conformance cases ask, as Java functions, for tests that need their
 * signatures and no TensorFlow.
 */
public final class FakeTfsModels {
  private static final Shape VECTOR = Shape.of(-1);
  private static final Map<String, DataType> TYPES = types();

  private FakeTfsModels() {}

  /** All of them, and models that cannot be asked. */
  public static FakePlanes all() {
    return new FakePlanes()
        .serve("half_plus_two", 123, halfPlus(), request -> half(request, 2))
        .serve("half_plus_two_2_versions", 123, halfPlus(), request -> half(request, 2))
        .serve("half_plus_two_2_versions", 124, halfPlus(), request -> half(request, 2))
        .label("half_plus_two_2_versions", "stable", 123)
        .label("half_plus_two_2_versions", "canary", 124)
        .serve("counter", 123, counter(), _ -> List.of())
        .serve("typed_io", 1, typed(), FakeTfsModels::typed)
        .serve("addsub", 1, addsub(), FakeTfsModels::echo)
        .serve("opt", 1, optional(), FakeTfsModels::echo)
        .announce("loading", VersionStatus.of(3, VersionState.LOADING))
        .announce("gone", VersionStatus.of(4, VersionState.END));
  }

  private static Map<String, DataType> types() {
    var types = new LinkedHashMap<String, DataType>();
    types.put("f32", DataType.FP32);
    types.put("f64", DataType.FP64);
    types.put("i8", DataType.INT8);
    types.put("u8", DataType.UINT8);
    types.put("i16", DataType.INT16);
    types.put("i32", DataType.INT32);
    types.put("i64", DataType.INT64);
    types.put("u32", DataType.UINT32);
    types.put("u64", DataType.UINT64);
    types.put("b", DataType.BOOL);
    types.put("s", DataType.BYTES);
    types.put("f16", DataType.FP16);
    types.put("bf16", DataType.BF16);
    return types;
  }

  private static ModelMetadata model(boolean shapesBind, Signature... signatures) {
    var all = new LinkedHashMap<String, Signature>();
    for (Signature signature : signatures) {
      all.put(signature.name(), signature);
    }
    return new ModelMetadata("tensorflow_savedmodel", all, shapesBind, 0);
  }

  private static Signature predict(String name, List<TensorSpec> inputs, List<TensorSpec> outputs) {
    return new Signature(name, "tensorflow/serving/predict", inputs, outputs);
  }

  private static Signature same(String name, TensorSpec... specs) {
    return predict(name, List.of(specs), List.of(specs));
  }

  private static TensorSpec tensorflow(DataType type, String nativeType) {
    return new TensorSpec("x", type, Shape.UNKNOWN, false, "x:0", nativeType);
  }

  private static TensorSpec vector(String name, DataType type) {
    return new TensorSpec(name, type, VECTOR);
  }

  private static ModelMetadata halfPlus() {
    Shape rows = Shape.of(-1, 1);
    var x = new TensorSpec("x", DataType.FP32, rows, false, "x:0", "DT_FLOAT");
    var y = new TensorSpec("y", DataType.FP32, rows, false, "y:0", "DT_FLOAT");
    return model(false, predict("serving_default", List.of(x), List.of(y)));
  }

  private static ModelMetadata counter() {
    var output =
        new TensorSpec("output", DataType.FP32, Shape.SCALAR, false, "c:0", "DT_FLOAT_REF");
    var nothing =
        new TensorSpec("n", DataType.UNSUPPORTED, Shape.UNKNOWN, false, "NoOp", "DT_INVALID");
    return model(
        false,
        predict("incr_counter", List.of(), List.of(output)),
        new Signature("__saved_model_init_op", "", List.of(), List.of(nothing)));
  }

  private static ModelMetadata addsub() {
    var first = new TensorSpec("INPUT0", DataType.INT32, Shape.of(-1, 2));
    var second = new TensorSpec("INPUT1", DataType.INT32, Shape.of(-1, 2));
    return model(true, same("serving_default", first, second));
  }

  private static ModelMetadata optional() {
    var bias = new TensorSpec("bias", DataType.FP32, VECTOR, true, "bias", "FP32");
    return model(true, same("serving_default", vector("x", DataType.FP32), bias));
  }

  private static ModelMetadata typed() {
    var signatures = new ArrayList<Signature>();
    TensorSpec text = vector("text", DataType.BYTES);
    signatures.add(
        predict(
            "serving_default", List.of(text), List.of(text, vector("text_bytes", DataType.BYTES))));
    signatures.add(same("bytes_only", vector("image_bytes", DataType.BYTES)));
    TYPES.forEach((name, type) ->
        signatures.add(same("echo_" + name, new TensorSpec("x", type, Shape.UNKNOWN))));
    signatures.add(same("echo_u16", tensorflow(DataType.UINT16, "DT_UINT16")));
    signatures.add(same("echo_c64", tensorflow(DataType.COMPLEX64, "DT_COMPLEX64")));
    TensorSpec x = vector("x", DataType.FP32);
    TensorSpec total = new TensorSpec("total", DataType.FP32, Shape.SCALAR);
    signatures.add(predict("with_scalar", List.of(x), List.of(vector("y", DataType.FP32), total)));
    signatures.add(predict("scalar_only", List.of(x), List.of(total)));
    signatures.add(same("two_inputs", vector("a", DataType.FP32), vector("b", DataType.INT32)));
    return model(false, signatures.toArray(Signature[]::new));
  }

  private static List<NamedTensor> half(InferenceRequest request, float plus) {
    Tensor x = request.inputs().getFirst().tensor();
    Tensor y = Tensor.allocate(DataType.FP32, x.shape());
    for (long i = 0; i < x.elementCount(); i++) {
      y.data().setAtIndex(JAVA_FLOAT, i, x.data().getAtIndex(JAVA_FLOAT, i) * 0.5f + plus);
    }
    return List.of(new NamedTensor("y", y));
  }

  private static List<NamedTensor> typed(InferenceRequest request) {
    Tensor input = request.inputs().getFirst().tensor();
    return switch (request.signature().name()) {
      case "serving_default" ->
          List.of(new NamedTensor("text", copy(input)), new NamedTensor("text_bytes", copy(input)));
      case "with_scalar" ->
          List.of(new NamedTensor("y", copy(input)), new NamedTensor("total", sum(input)));
      case "scalar_only" -> List.of(new NamedTensor("total", sum(input)));
      default -> echo(request);
    };
  }

  private static List<NamedTensor> echo(InferenceRequest request) {
    return request.inputs().stream()
        .map(input -> new NamedTensor(input.name(), copy(input.tensor())))
        .toList();
  }

  private static Tensor sum(Tensor values) {
    Tensor total = Tensor.allocate(DataType.FP32, Shape.SCALAR);
    float sum = 0;
    for (long i = 0; i < values.elementCount(); i++) {
      sum += values.data().getAtIndex(JAVA_FLOAT, i);
    }
    total.data().set(JAVA_FLOAT, 0, sum);
    return total;
  }

  private static Tensor copy(Tensor tensor) {
    try (var builder = new TensorBuilder(tensor.type(), tensor.byteSize())) {
      builder.putRaw(tensor.data(), 0, tensor.byteSize(), tensor.elementCount());
      return builder.build(tensor.shape());
    }
  }
}
