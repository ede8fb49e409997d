package dev.sluice.inference;

/**
 * Why a model that is loaded answers no requests at the moment.
 *
 * @param reason for people
 * @param ofServer whether the server is not ready either
 */
public record ModelProblem(String reason, boolean ofServer) {}
