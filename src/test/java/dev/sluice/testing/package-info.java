/**
 * What tests of several packages share: models with recorded answers, tensors written as Java
 * values, and fakes. Start at {@link dev.sluice.testing.TestModels}.
 *
 * <p>Threads: each test's own.
 *
 * <p>Units: sizes are bytes, shapes are elements.
 */
@NullMarked
package dev.sluice.testing;

import org.jspecify.annotations.NullMarked;
