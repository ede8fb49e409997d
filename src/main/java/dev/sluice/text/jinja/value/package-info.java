/**
 * Values of templates, and what the language does with them: operators, filters, tests, functions
 * and methods, as Python has them. Start at {@link dev.sluice.text.jinja.value.Value}.
 *
 * <p>A text knows which of its characters a request gave: {@link
 * dev.sluice.text.jinja.value.MarkedText}. What a rendering may use up is counted in {@link
 * dev.sluice.text.jinja.value.Rendering}.
 *
 * <p>Threads: values are immutable, but for namespaces, which belong to one rendering.
 */
@NullMarked
package dev.sluice.text.jinja.value;

import org.jspecify.annotations.NullMarked;
