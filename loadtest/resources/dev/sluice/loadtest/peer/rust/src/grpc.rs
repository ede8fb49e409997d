//! V2 over gRPC, tensors raw.

use crate::model;
use prost::Message;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

#[derive(Clone, PartialEq, Message)]
struct ModelInferRequest {
    #[prost(string, tag = "1")]
    model_name: String,
    #[prost(message, repeated, tag = "5")]
    inputs: Vec<Tensor>,
    #[prost(bytes = "bytes", repeated, tag = "7")]
    raw_input_contents: Vec<prost::bytes::Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct Tensor {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    datatype: String,
    #[prost(int64, repeated, tag = "3")]
    shape: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct ModelInferResponse {
    #[prost(string, tag = "1")]
    model_name: String,
    #[prost(string, tag = "2")]
    model_version: String,
    #[prost(message, repeated, tag = "5")]
    outputs: Vec<Tensor>,
    #[prost(bytes = "bytes", repeated, tag = "6")]
    raw_output_contents: Vec<prost::bytes::Bytes>,
}

struct Infer;

impl UnaryService<ModelInferRequest> for Infer {
    type Response = ModelInferResponse;
    type Future = Ready<Result<Response<ModelInferResponse>, Status>>;

    fn call(&mut self, request: Request<ModelInferRequest>) -> Self::Future {
        let message = request.into_inner();
        let numbers = model::numbers(&message.raw_input_contents[0]);
        ready(Ok(Response::new(model::run(
            &message.inputs[0].shape,
            &numbers,
            |shape, numbers| {
                let mut raw = Vec::with_capacity(size_of_val(numbers));
                model::append(numbers, &mut raw);
                ModelInferResponse {
                    model_name: message.model_name,
                    model_version: "1".to_owned(),
                    outputs: vec![Tensor {
                        name: "y".to_owned(),
                        datatype: "FP32".to_owned(),
                        shape: shape.to_vec(),
                    }],
                    raw_output_contents: vec![raw.into()],
                }
            },
        ))))
    }
}

#[derive(Clone)]
struct InferenceService;

impl NamedService for InferenceService {
    const NAME: &'static str = "inference.GRPCInferenceService";
}

impl Service<http::Request<Body>> for InferenceService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async { Ok(Grpc::new(ProstCodec::default()).unary(Infer, request).await) })
    }
}

pub async fn serve(address: SocketAddr) {
    tonic::transport::Server::builder()
        .tcp_nodelay(true)
        .add_service(InferenceService)
        .serve(address)
        .await
        .expect("a port for gRPC");
}
