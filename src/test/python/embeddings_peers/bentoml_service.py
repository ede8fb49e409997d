"""BentoML, as its documentation shows batches."""
import bentoml

from vectors import Vectors, base64_of


@bentoml.service(workers=1)
class Embedding:
    def __init__(self):
        self.vectors = Vectors()

    @bentoml.api(batchable=True)
    def embed(self, texts: list[str]) -> list[str]:
        return base64_of(self.vectors.of(texts))
