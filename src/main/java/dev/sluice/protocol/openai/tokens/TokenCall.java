package dev.sluice.protocol.openai.tokens;

import dev.sluice.inference.tokens.ModelTokenizer;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/**
 * What a body asks for.
 *
 * @param model its name
 * @param answer returns the body of the answer; takes as long as the text wants
 */
record TokenCall(String model, Function<ModelTokenizer, Buffer> answer) {}
