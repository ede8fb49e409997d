/** The rules of the model repository. Time, files and loading are in the tests' hands. */
@NullMarked
package dev.sluice.repository;

import org.jspecify.annotations.NullMarked;
