package dev.sluice.protocol.grps.http;

/**
 * Another way to ask for predictions.
 *
 * @param path where, besides the usual path; empty: nowhere
 * @param ownBody whether the model's plugin reads the requests and writes the answers, on both
 *     paths
 */
public record CustomPredict(String path, boolean ownBody) {}
