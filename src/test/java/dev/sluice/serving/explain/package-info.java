/** Tests of the explanations against closed forms and exact enumeration. */
@NullMarked
package dev.sluice.serving.explain;

import org.jspecify.annotations.NullMarked;
