//! The model: a session for each thread, which runs where the request was read.

use ort::environment::{self, Environment};
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;
use std::cell::RefCell;
use std::sync::OnceLock;

/// What sessions are made from: the runtime, and the model's file; and how the model is called.
struct Model {
    environment: Environment,
    name: String,
    file: String,
}

static MODEL: OnceLock<Model> = OnceLock::new();

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(session().expect("a session"));
}

/// Loads the runtime. Sessions come with the first request of each thread.
pub fn load(library: &str, name: &str, file: &str) {
    let environment = environment::init_from(library)
        .expect("a library")
        .build()
        .expect("an environment");
    let model = Model {
        environment,
        name: name.to_owned(),
        file: file.to_owned(),
    };
    assert!(MODEL.set(model).is_ok(), "one model");
}

fn model() -> &'static Model {
    MODEL.get().expect("a model")
}

pub fn name() -> &'static str {
    &model().name
}

fn session() -> ort::Result<Session> {
    let model = model();
    Session::builder(&model.environment)?
        .with_intra_threads(1)?
        .with_optimization_level(GraphOptimizationLevel::Level3)?
        .commit_from_file(&model.file)
}

/// Runs the model on a tensor, and hands its output to a function: its shape and its numbers.
pub fn run<T>(shape: &[i64], numbers: &[f32], taken: impl FnOnce(&[i64], &[f32]) -> T) -> T {
    SESSION.with_borrow_mut(|session| {
        let x = TensorRef::from_array_view((shape, numbers)).expect("a tensor");
        let outputs = session.run(ort::inputs!["x" => x]).expect("a run");
        let (shape, numbers) = outputs["y"].try_extract_tensor::<f32>().expect("numbers");
        taken(shape, numbers)
    })
}

/// Copies little-endian bytes into numbers.
pub fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|four| f32::from_le_bytes(*four))
        .collect()
}

/// Copies numbers into little-endian bytes behind those that are there.
pub fn append(numbers: &[f32], bytes: &mut Vec<u8>) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}
