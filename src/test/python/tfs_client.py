"""TensorFlow Serving's own Python client against a running server.

Serves src/test/models/tfs and needs the package tensorflow-serving-api:

    sluice serve --models src/test/models/tfs --listen localhost:8500
    python src/test/python/tfs_client.py localhost:8500
"""
import sys

import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import (
    classification_pb2, get_model_metadata_pb2, get_model_status_pb2, inference_pb2, model_service_pb2_grpc, predict_pb2,
    prediction_service_pb2_grpc, regression_pb2)

MODEL = "half_plus_two"
REGRESS, CLASSIFY = "tensorflow/serving/regress", "tensorflow/serving/classify"


def example(x):
    return tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[x]))}))


def spec_is(spec, signature):
    assert (spec.name, spec.version.value, spec.signature_name) == (MODEL, 123, signature), spec


def predict(stub):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = MODEL
    request.inputs["x"].CopyFrom(tf.make_tensor_proto(np.array([[1.0], [2.0]], np.float32)))
    response = stub.Predict(request, 10)
    np.testing.assert_array_equal(tf.make_ndarray(response.outputs["y"]), np.array([[2.5], [3.0]], np.float32))
    spec_is(response.model_spec, "serving_default")


def classify(stub):
    request = classification_pb2.ClassificationRequest()
    request.model_spec.name = MODEL
    request.model_spec.signature_name = "classify_x_to_y"
    request.input.example_list.examples.extend([example(20), example(2)])
    response = stub.Classify(request, 10)
    scores = [[one.score for one in classes.classes] for classes in response.result.classifications]
    assert scores == [[12.0], [3.0]], response
    spec_is(response.model_spec, "classify_x_to_y")


def regress(stub):
    request = regression_pb2.RegressionRequest()
    request.model_spec.name = MODEL
    request.model_spec.signature_name = "regress_x_to_y"
    request.input.example_list_with_context.context.CopyFrom(example(2))
    request.input.example_list_with_context.examples.extend([tf.train.Example(), example(80)])
    response = stub.Regress(request, 10)
    assert [one.value for one in response.result.regressions] == [3.0, 42.0], response
    spec_is(response.model_spec, "regress_x_to_y")


def multi_inference(stub):
    request = inference_pb2.MultiInferenceRequest()
    for signature, method in [("regress_x_to_y", REGRESS), ("classify_x_to_y", CLASSIFY), ("regress_x_to_y2", REGRESS)]:
        task = request.tasks.add(method_name=method)
        task.model_spec.name = MODEL
        task.model_spec.signature_name = signature
    request.input.example_list.examples.append(example(2))
    first, second, third = stub.MultiInference(request, 10).results
    assert first.regression_result.regressions[0].value == 3.0
    assert second.classification_result.classifications[0].classes[0].score == 3.0
    assert third.regression_result.regressions[0].value == 4.0
    spec_is(second.model_spec, "classify_x_to_y")


def metadata(stub):
    request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = MODEL
    signatures = get_model_metadata_pb2.SignatureDefMap()
    assert stub.GetModelMetadata(request, 10).metadata["signature_def"].Unpack(signatures)
    assert signatures.signature_def["classify_x_to_y"].method_name == CLASSIFY


def status(channel):
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = MODEL
    versions = model_service_pb2_grpc.ModelServiceStub(channel).GetModelStatus(request, 10).model_version_status
    assert [(one.version, one.state) for one in versions] == [(123, get_model_status_pb2.ModelVersionStatus.AVAILABLE)]


def failure(stub):
    request = regression_pb2.RegressionRequest()
    request.model_spec.name = "foo"
    request.input.example_list.examples.append(example(1))
    try:
        stub.Regress(request, 10)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.NOT_FOUND
        assert error.details() == "Servable not found for request: Latest(foo)"
    else:
        raise AssertionError("a model that is not there has answered")


with grpc.insecure_channel(sys.argv[1]) as channel:
    predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    for check in [predict, classify, regress, multi_inference, metadata, failure]:
        check(predictions)
    status(channel)
print("all as expected")
