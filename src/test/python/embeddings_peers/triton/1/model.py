"""Triton's Python backend: all requests of a batch in one run."""
import numpy
import triton_python_backend_utils as utils

from vectors import Vectors


class TritonPythonModel:
    def initialize(self, arguments):
        self.vectors = Vectors()

    def execute(self, requests):
        lists = [utils.get_input_tensor_by_name(request, "text").as_numpy()[:, 0] for request in requests]
        answers = self.vectors.of_each([[text.decode() for text in texts] for texts in lists])
        return [utils.InferenceResponse([utils.Tensor("embedding", numpy.ascontiguousarray(answer))]) for answer in answers]
