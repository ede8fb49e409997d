package dev.sluice.protocol.openai.tools;

/**
 * A function that a model may call.
 *
 * @param name what calls it
 * @param parameters JSON schema of its arguments; empty: it takes none
 */
public record ToolFunction(String name, String parameters) {}
