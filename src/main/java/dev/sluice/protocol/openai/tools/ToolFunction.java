package dev.sluice.protocol.openai.tools;

/**
 * A function that a model may call.
 *
 * @param name what calls it
 * @param parameters JSON schema of its arguments; empty: it takes none
 * @param strict whether the arguments fit the schema even if the call is the model's own choice
 */
public record ToolFunction(String name, String parameters, boolean strict) {}
