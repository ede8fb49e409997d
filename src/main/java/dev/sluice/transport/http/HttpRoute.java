package dev.sluice.transport.http;

import dev.sluice.inference.access.Operation;

/**
 * One kind of request over HTTP, and what a caller needs the right to.
 *
 * @param method by which it is asked for; empty: by any
 * @param path with {@code {model}} where a model is named
 */
public record HttpRoute(String method, String path, Operation operation) {}
