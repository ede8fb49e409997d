"""MLServer, as its documentation shows a runtime of one's own."""
from mlserver import MLModel
from mlserver.codecs import NumpyCodec, StringCodec
from mlserver.types import InferenceRequest, InferenceResponse

from vectors import Vectors


class Embedding(MLModel):
    async def load(self) -> bool:
        self.vectors = Vectors()
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        vectors = self.vectors.of(StringCodec.decode_input(payload.inputs[0]))
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("embedding", vectors)])
