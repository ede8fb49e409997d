/**
 * OpenAPI documents of what a listener serves over HTTP, and the page that shows them. Start at
 * {@link dev.sluice.ops.openapi.OpenApiHandler}.
 *
 * <p>A document is made from a template, a file of this package that holds what is the same
 * everywhere, and from the models that are loaded and that the caller may know of.
 *
 * <p>Threads: requests arrive on event loops; documents are made, and files are read, by workers.
 *
 * <p>Units: sizes of documents are bounded in tensors, see {@link
 * dev.sluice.ops.openapi.DescribedModels}.
 */
@NullMarked
package dev.sluice.ops.openapi;

import org.jspecify.annotations.NullMarked;
