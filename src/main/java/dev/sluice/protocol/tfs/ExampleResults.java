package dev.sluice.protocol.tfs;

/** A model's results for examples. Borrows the outputs that it was read from. */
public sealed interface ExampleResults permits ClassificationResults, RegressionResults {}
