/**
 * Chat templates of models: the part of the Jinja language that they are written in. Start at
 * {@link dev.sluice.text.jinja.ChatTemplate}.
 *
 * <p>A template is split into tokens ({@link dev.sluice.text.jinja.TemplateLexer}) and made into
 * statements and expressions once, when its model is loaded; what the language lacks here is
 * refused then, by name. It renders as Jinja does in Python with the environment that Hugging
 * Face's library gives it: {@code trim_blocks}, {@code lstrip_blocks}, {@code break} and {@code
 * continue}, values that cannot be changed. A file is never read, and no class can be reached.
 *
 * <p>Every text knows which of its characters a request gave ({@link
 * dev.sluice.text.jinja.MarkedText}), through whatever a template does with it.
 *
 * <p>Threads: a template is immutable and for any thread; a rendering belongs to one. Work, output
 * and depth of a rendering are bounded ({@link dev.sluice.text.jinja.Rendering}).
 *
 * <p>Units: texts are counted in UTF-16 characters inside, and in code points where a template
 * counts them, as in Python.
 */
@NullMarked
package dev.sluice.text.jinja;

import org.jspecify.annotations.NullMarked;
