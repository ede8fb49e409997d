"""KServe's Python server, as its documentation shows a model of one's own, with KServe's options. It makes no batches itself."""
import uuid

from kserve import InferOutput, InferRequest, InferResponse, Model, ModelServer

from vectors import Vectors


class Embedding(Model):
    def __init__(self):
        super().__init__("minilm")
        self.vectors = Vectors()
        self.ready = True

    def predict(self, payload: InferRequest, headers=None, response_headers=None) -> InferResponse:
        vectors = self.vectors.of(payload.inputs[0].data)
        output = InferOutput(name="embedding", datatype="FP32", shape=list(vectors.shape))
        output.set_data_from_numpy(vectors, binary_data=False)
        return InferResponse(response_id=payload.id or str(uuid.uuid4()), model_name=self.name, infer_outputs=[output])


ModelServer().start([Embedding()])
