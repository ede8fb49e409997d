//! V2 over HTTP/1.1: numbers in JSON, or behind it.

use crate::model;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::net::SocketAddr;
use tokio::net::TcpListener;

const JSON_LENGTH: HeaderName = HeaderName::from_static("inference-header-content-length");

#[derive(Deserialize)]
struct Inference {
    inputs: Vec<Input>,
}

#[derive(Deserialize)]
struct Input {
    shape: Vec<i64>,
    #[serde(default)]
    data: Vec<f32>,
}

#[derive(Serialize)]
struct Inferred<'a> {
    model_name: &'a str,
    outputs: [Output<'a>; 1],
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    datatype: &'a str,
    shape: &'a [i64],
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a [f32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Size>,
}

#[derive(Serialize)]
struct Size {
    binary_data_size: usize,
}

pub async fn serve(address: SocketAddr) {
    let listener = TcpListener::bind(address).await.expect("a port for HTTP");
    loop {
        let (socket, _) = listener.accept().await.expect("a connection");
        socket.set_nodelay(true).expect("no delay");
        tokio::spawn(async move {
            // A client that goes away is no matter of others.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(socket), service_fn(answer))
                .await;
        });
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let json_length = request.headers().get(JSON_LENGTH).map(|length| {
        length.to_str().ok().and_then(|text| text.parse::<usize>().ok()).expect("a length")
    });
    let Ok(body) = request.into_body().collect().await else {
        return Ok(Response::default());
    };
    let body = body.to_bytes();
    if body.is_empty() {
        return Ok(Response::default()); // asked whether it is ready
    }
    Ok(match json_length {
        None => json(&body),
        Some(length) => binary(&body[..length], &body[length..]),
    })
}

fn json(body: &[u8]) -> Response<Full<Bytes>> {
    let request: Inference = serde_json::from_slice(body).expect("an inference");
    let input = &request.inputs[0];
    model::run(&input.shape, &input.data, |shape, numbers| {
        let text = serde_json::to_vec(&inferred(shape, Some(numbers), None)).expect("JSON");
        Response::builder()
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(text))
            .expect("a response")
    })
}

fn binary(json: &[u8], raw: &[u8]) -> Response<Full<Bytes>> {
    let request: Inference = serde_json::from_slice(json).expect("an inference");
    model::run(&request.inputs[0].shape, &model::numbers(raw), |shape, numbers| {
        let size = Size { binary_data_size: size_of_val(numbers) };
        let mut bytes = serde_json::to_vec(&inferred(shape, None, Some(size))).expect("JSON");
        let length = bytes.len();
        model::append(numbers, &mut bytes);
        Response::builder()
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(JSON_LENGTH, length)
            .body(Full::from(bytes))
            .expect("a response")
    })
}

fn inferred<'a>(shape: &'a [i64], data: Option<&'a [f32]>, parameters: Option<Size>) -> Inferred<'a> {
    Inferred {
        model_name: model::name(),
        outputs: [Output { name: "y", datatype: "FP32", shape, data, parameters }],
    }
}
