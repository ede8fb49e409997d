/**
 * The JSON of the Open Inference Protocol (V2): inference requests with their inputs, outputs and
 * parameters, and the documents of metadata and statistics. Start at {@link
 * dev.sluice.protocol.oip.http.json.JsonRequest}.
 *
 * <p>Parts: {@link dev.sluice.protocol.oip.http.json.JsonFields} reads fields and says what is
 * wrong with them, {@link dev.sluice.protocol.oip.http.json.JsonInput} is one input tensor, {@link
 * dev.sluice.protocol.oip.http.json.OutputForms} are the forms in which outputs were asked for,
 * {@link dev.sluice.protocol.oip.http.json.OipMetadataJson} and {@link
 * dev.sluice.protocol.oip.http.json.StatisticsJson} write.
 *
 * <p>Memory: a request owns its tensors until they are handed over.
 *
 * <p>Threads: any, one at a time for each object.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.oip.http.json;

import org.jspecify.annotations.NullMarked;
