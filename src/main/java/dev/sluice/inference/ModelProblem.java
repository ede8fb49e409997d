package dev.sluice.inference;

/**
 * The reason why a loaded model answers no requests at the moment.
 *
 * @param reason for people
 * @param ofServer whether the server is not ready either
 */
public record ModelProblem(String reason, boolean ofServer) {}
