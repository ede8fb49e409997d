package dev.sluice.boot.otlp;

import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.resources.Resource;

/** A metric with its series. Components have the names of the SDK's getters, which they are. */
record Metric(
    Resource getResource,
    InstrumentationScopeInfo getInstrumentationScopeInfo,
    String getName,
    String getDescription,
    String getUnit,
    MetricDataType getType,
    Data<?> getData)
    implements MetricData {}
