"""The model of the load test in Triton's Python backend: all requests of a batch in one run of ONNX Runtime."""
import os

import numpy
import onnxruntime
import triton_python_backend_utils as utils


class TritonPythonModel:
    def initialize(self, arguments):
        file = os.path.join(arguments["model_repository"], arguments["model_version"], "model.onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    def execute(self, requests):
        inputs = [utils.get_input_tensor_by_name(request, "x").as_numpy() for request in requests]
        outputs = self.session.run(["y"], {"x": numpy.concatenate(inputs)})[0]
        answers, row = [], 0
        for values in inputs:
            answers.append(utils.InferenceResponse([utils.Tensor("y", outputs[row:row + len(values)])]))
            row += len(values)
        return answers
