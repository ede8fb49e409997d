package dev.sluice.protocol.tfs;

/** What a model found out about examples. Borrows the outputs that it was read from. */
public sealed interface ExampleResults permits ClassificationResults, RegressionResults {}
